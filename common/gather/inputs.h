// inputs.h: the atoms of chapter 09-gather.
#pragma once

#include "device/atoms.h"
#include "harness.h"

// ---- One atom --------------------------------------------------------------------------------------------
// A whole number from low to high - 1.
static int integer_between(uint64_t *state, int low, int high)
{
    return low + (int)(random_bits(state) % (uint64_t)(high - low));
}

// From low to high, in steps of 2^-24 of their difference.
static float between(uint64_t *state, double low, double high)
{
    return (float)(low + (high - low) * (double)(random_bits(state) >> 40) / (1 << 24));
}

// 0.5 to 1, with either sign.
static float random_charge(uint64_t *state)
{
    float q = between(state, 0.5, 1);
    return random_bits(state) & 1 ? -q : q;
}

static float4 integer_atom(uint64_t *state, struct plane p)
{
    int x = integer_between(state, -20, p.width + 20), y = integer_between(state, -20, p.height + 20);
    int z = random_bits(state) % 4 ? integer_between(state, -17, 18) : 0; // one in four on the map
    return make_float4((float)x, (float)y, (float)z, (float)integer_between(state, 1, 9));
}

static float4 random_atom(uint64_t *state, struct plane p)
{
    float x = between(state, -16, p.width + 16.0), y = between(state, -16, p.height + 16.0);
    return make_float4(x, y, between(state, -18, 18), random_charge(state));
}

// ---- Input sets --------------------------------------------------------------------------------------------
static void fill_whole_numbers(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        atoms[i] = integer_atom(state, p);
}

static void fill_random(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        atoms[i] = random_atom(state, p);
}

// So small that a program may mistake a sum for 0.
static void fill_faint(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    fill_random(atoms, n, p, state);
    for (int i = 0; i < n; i++)
        atoms[i].w = ldexpf(atoms[i].w, -100);
}

// Sets all charges to 0 but the first, the last, those around powers of two and one in 61.
static void clear_most_charges(float4 *atoms, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++) {
        int kept = i == n - 1 || !(i & (i - 1)) || !(i & (i + 1)) || random_bits(state) % 61 == 0;
        atoms[i].w = kept ? atoms[i].w : 0;
    }
}

static void fill_few(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    fill_whole_numbers(atoms, n, p, state);
    clear_most_charges(atoms, n, state);
}

// All in one cell of the map, half of them at one place.
static void fill_cell(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    int x = integer_between(state, 0, p.width / 16 + 1) * 16, y = integer_between(state, 0, p.height / 16 + 1) * 16;
    for (int i = 0; i < n; i++)
        atoms[i] = random_bits(state) & 1 ? make_float4(x + 3.0f, y + 15.0f, 0, random_charge(state))
                                          : make_float4(between(state, x, x + 15.9), between(state, y, y + 15.9),
                                                        between(state, -15, 15), random_charge(state));
}

#define FULL ((1 << 16) + (1 << 12) + 77) // atoms: ranks in the cell need more than 16 bits

// FULL atoms in a cell, the others in the next one. There are so few charges that each lost atom shows in a sum.
static void fill_full_cell(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    fill_cell(atoms, n, p, state);
    for (int i = FULL; i < n; i++)
        atoms[i].x += CUTOFF;
    clear_most_charges(atoms, n, state);
}

// All in one cell. There are so many that only few may have a charge, since the bound on a sum grows with the
// number of charges.
static void fill_pieces(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    fill_cell(atoms, n, p, state);
    for (int i = 0; i < n; i++)
        atoms[i].w = i % 65521 == 0 || i == n - 1 ? random_charge(state) : 0;
}

// Half of the atoms in one cell, off the edge of a large map, the others in four patches of 64 x 64. Most
// of it is empty.
static void fill_crowded(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    int wide = max(1, p.width - 80), high = max(1, p.height - 80), patch[5][2];
    for (int k = 0; k < 5; k++) {
        patch[k][0] = (integer_between(state, 0, wide) / 16 + (p.width > 80)) * 16;
        patch[k][1] = (integer_between(state, 0, high) / 16 + (p.height > 80)) * 16;
    }
    for (int i = 0; i < n; i++) {
        int k = i % 2 ? 0 : 1 + integer_between(state, 0, 4);
        double side = k == 0 ? 15.9 : 64, x = patch[k][0], y = patch[k][1];
        atoms[i] = make_float4(between(state, x, x + side), between(state, y, y + side), between(state, -15, 15),
                               random_charge(state));
    }
}

// 65 atoms in the cell in the middle of each 3 x 3 tiles: more than a piece of step 7 in each of these tiles.
enum { CROWD = 65, CROWD_TILES = 9, MAX_PLACES = 1 << 16 };

static int crowds_in(struct plane p)
{
    return p.width / 48 * (p.height / 48);
}

static void fill_crowds(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    for (int i = 0; i < n; i++) {
        int crowd = i / CROWD, wide = p.width / 48;
        float x = 48.0f * (crowd % wide) + 24, y = 48.0f * (crowd / wide) + 24;
        atoms[i] = make_float4(x + (i % 13) * 0.25f, y + (i % 5) * 0.25f, 1, random_charge(state));
    }
}

// So far away, in all directions, that few reach the map: cell numbers must not wrap around.
static void fill_far(float4 *atoms, int n, struct plane p, uint64_t *state)
{
    for (int i = 0; i < n; i++) {
        float far[3];
        for (int k = 0; k < 3; k++)
            far[k] = random_bits(state) % 3 ? 0 : between(state, -1048576, 1048576);
        float4 atom = random_atom(state, p);
        atoms[i] = make_float4(atom.x + far[0], atom.y + far[1], atom.z + far[2], atom.w);
    }
}

struct input {
    const char *name;
    void (*fill)(float4 *atoms, int n, struct plane p, uint64_t *state);
};

enum { WHOLE, RANDOM, FEW, CELL, CLUSTERS, FAR, SETS };
static const struct input INPUTS[SETS] = {{"whole numbers", fill_whole_numbers},
                                          {"random", fill_random},
                                          {"few charges", fill_few},
                                          {"one cell", fill_cell},
                                          {"crowded", fill_crowded},
                                          {"far away", fill_far}};
static const struct input FULL_CELL = {"one full cell", fill_full_cell}, CROWDS = {"crowds", fill_crowds},
                          PIECES = {"one crowded cell", fill_pieces}, FAINT = {"faint charges", fill_faint};
