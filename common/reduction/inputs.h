// inputs.h: the input sets of chapter 01-reduction. reduction.h states the problem and its tolerance.
#pragma once

#include "harness/random.h"
#include "reduction/calls.h"
#include <limits.h>
#include <string.h>

union value {
    int i;
    float f;
};

struct reduction {
    reduction_function *ints;         // either this
    reduction_float_function *floats; // or that is NULL
    enum order order;
    union value *x, *d_in, *d_out, *d_tmp; // x: the input on the host
    int n;
    double error; // got - wanted of the last run
};

// ---- Inputs ----------------------------------------------------------------------------------------------
// Two values from each 64 random bits: at 2^28 they take a third of a program's time.
static void fill_random(union value *x, int n, uint64_t *state)
{
    uint64_t bits = 0;
    for (int i = 0; i < n; i++) {
        bits = i % 2 ? bits >> 32 : random_bits(state);
        x[i].i = (int)((bits & UINT32_MAX) * 2001 >> 32) - 1000;
    }
}

// As many need 17 bits as not: a program that keeps 16 of them is wrong.
static void fill_wide(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = (int)((random_bits(state) >> 32) * 131073 >> 32) - 65536;
}

static void fill_negative(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = -1 - (int)(random_bits(state) % 3);
}

static void fill_equal(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = n <= INT_MAX / 7 ? 7 : 1;
    (void)state;
}

static void fill_ends(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = (i == 0) * 1000003 + (i == n - 1) * 2000003;
    (void)state;
}

// Every sum of several is 0, -1, the least int or the largest: a program that uses a value as a flag waits forever, or
// does not wait.
static void fill_zero(union value *x, int n, uint64_t *state)
{
    memset(x, 0, (size_t)n * sizeof *x);
    (void)state;
}

static void fill_minus_one(union value *x, int n, uint64_t *state)
{
    fill_zero(x, n, state);
    if (n > 0)
        x[0].i = -1;
}

static void fill_least(union value *x, int n, uint64_t *state)
{
    fill_zero(x, n, state);
    if (n > 0)
        x[0].i = INT_MIN;
}

static void fill_largest(union value *x, int n, uint64_t *state)
{
    fill_zero(x, n, state);
    if (n > 0)
        x[0].i = INT_MAX;
}

static void fill_extremes(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].i = i % 2 ? INT_MIN : INT_MAX;
    (void)state;
}

static void fill_unit(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].f = (float)(random_bits(state) >> 40) / (1 << 24);
}

// Between -1 and 1 in steps of q = 2^(ceil(log2 n) - 24).
static void fill_grid(union value *x, int n, uint64_t *state)
{
    int steps = 1 << 24;
    while (n > (1 << 24) / steps)
        steps /= 2;
    for (int i = 0; i < n; i++)
        x[i].f = ((float)(random_bits(state) % (2u * (unsigned)steps - 1)) - (float)(steps - 1)) / (float)steps;
}

static void fill_huge(union value *x, int n, uint64_t *state)
{
    fill_unit(x, n, state);
    for (int i = 0; i < n; i++)
        x[i].f = (x[i].f - 0.25f) * 1e27f; // 2^30 of them stay below FLT_MAX
}

// From 2^24 on floats are 2 apart: a sum that adds the ones singly to the first value never changes.
static void fill_stall(union value *x, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        x[i].f = i == 0 ? 1 << 24 : 1;
    (void)state;
}

struct input {
    const char *name;
    void (*fill)(union value *x, int n, uint64_t *state);
    int exact; // every partial sum can be represented
    int skip;  // words from a 16-byte boundary to d_in
    const char *note;
};

static const struct input INT_INPUTS[] = {
    {"random", fill_random, 1, 0, ""},
    {"all negative", fill_negative, 1, 1, ", d_in at address 4 mod 16"},
    {"all equal", fill_equal, 1, 2, ", d_in at address 8 mod 16"},
    {"only the ends", fill_ends, 1, 3, ", d_in at address 12 mod 16"},
    {"extremes", fill_extremes, 1, 0, ""},
};

static const struct input WIDE = {"random, 17 bits", fill_wide, 1, 0, ""};

static const struct input FLAGS[] = {
    {"all zero", fill_zero, 1, 0, ""},
    {"0 but the first, -1", fill_minus_one, 1, 0, ""},
    {"0 but the first, INT_MIN", fill_least, 1, 0, ""},
    {"0 but the first, INT_MAX", fill_largest, 1, 0, ""},
};

static const struct input FLOAT_INPUTS[] = {
    {"random in [0,1)", fill_unit, 0, 0, ""},
    {"grid", fill_grid, 1, 1, ", d_in at address 4 mod 16"},
    {"huge", fill_huge, 0, 2, ", d_in at address 8 mod 16"},
    {"2^24, then ones", fill_stall, 0, 3, ", d_in at address 12 mod 16"},
};

enum {
    INT_SETS = sizeof INT_INPUTS / sizeof INT_INPUTS[0],
    FLOAT_SETS = sizeof FLOAT_INPUTS / sizeof FLOAT_INPUTS[0],
    FLAG_SETS = sizeof FLAGS / sizeof FLAGS[0],
    STALL = FLOAT_SETS - 1
};
