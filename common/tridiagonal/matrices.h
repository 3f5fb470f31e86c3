// matrices.h: the input sets of chapter 05-tridiagonal: how a row's a, b and c are made. case.h makes f.
#pragma once

#include "device/tridiagonal_equations.h"
#include "harness/random.h"
#include <math.h>

static double random_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(random_bits(state) >> 11) / 9007199254740992.0;
}

static double random_sign(uint64_t *state)
{
    return random_bits(state) >> 63 ? 1 : -1;
}

// |b| = (|a| + |c|) * more, with any sign.
static struct row with_dominance(uint64_t *state, double a, double c, double more)
{
    return make_row((float)a, (float)(random_sign(state) * (fabs(a) + fabs(c)) * more), (float)c, 0);
}

static struct row dominant(uint64_t *state, int /* i */)
{
    double a = random_sign(state) * random_between(state, 0.1, 1),
           c = random_sign(state) * random_between(state, 0.1, 1);
    return with_dominance(state, a, c, random_between(state, 1.5, 3));
}

static struct row barely_dominant(uint64_t *state, int /* i */)
{
    double a = -random_between(state, 0.5, 1), c = -random_between(state, 0.5, 1);
    return make_row((float)a, (float)(-(a + c) * (1 + 1.0 / 1024)), (float)c, 0);
}

// The first row affects the last of a thousand, but not the reverse.
static struct row downward(uint64_t *state, int /* i */)
{
    double a = random_between(state, 0.5, 1);
    return with_dominance(state, a, a / 4096, 1 + 1.0 / 1024);
}

static struct row upward(uint64_t *state, int /* i */)
{
    double c = random_between(state, 0.5, 1);
    return with_dominance(state, c / 4096, -c, 1 + 1.0 / 1024);
}

static struct row second_difference(uint64_t * /* state */, int /* i */)
{
    return make_row(-1, 2, -1, 0); // |b| = |a| + |c|: no margin but at the ends
}

static struct row scaled(uint64_t *state, int i)
{
    struct row r = dominant(state, i);
    float scale = ldexpf(1, (int)(random_bits(state) % 81) - 40);
    return make_row(scale * r.a, scale * r.b, scale * r.c, 0);
}

static struct row torn(uint64_t *state, int i)
{
    struct row r = dominant(state, i);
    uint64_t bits = random_bits(state);
    return make_row(bits & 1 ? r.a : 0, r.b, bits & 2 ? r.c : 0, 0);
}

// Every fourth row, the first among them, has 0 or a small number in its middle: it needs an exchange.
static struct row zero_pivot(uint64_t *state, int i)
{
    struct row r = barely_dominant(state, i);
    return i % 4 ? r : make_row(r.a, 0, r.c, 0);
}

static struct row small_pivot(uint64_t *state, int i)
{
    struct row r = barely_dominant(state, i);
    return i % 4 ? r : make_row(r.a, 1e-6f, r.c, 0);
}

struct input {
    const char *name;
    struct row (*row)(uint64_t *state, int i);
    bool tiny;   // one row of each system is multiplied by 2^-100: a program may not take it for 0
    int sources; // in half of the systems f is 0 but for one row in so many; 0: in none
};

static const struct input INPUTS[] = {
    {"dominant", dominant, false, 0},
    {"barely dominant", barely_dominant, false, 0},
    {"felt downward", downward, false, 700},
    {"felt upward", upward, false, 700},
    {"second difference", second_difference, false, 0},
    {"scaled rows", scaled, false, 0},
    {"many a and c are 0, one row is tiny", torn, true, 3},
};
static const struct input NEED_PIVOTING[] = {{"pivots of 0", zero_pivot, false, 0},
                                             {"pivots of 1e-6", small_pivot, false, 0}};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };
