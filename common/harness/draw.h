// draw.h: sizes derived from the seed.
//
// A program may be right, safe, or do the step's work only at the sizes that every grading tries and counts. So every
// driver also tries sizes that are unknown until the seed is drawn (`workbook grade` draws one for each class). A
// message names n and the seed: these two repeat the run.
#pragma once

#include "harness/random.h"
#include "harness/state.h"
#include <math.h>

enum { DRAWN = 8 }; // tried in every part; the result also tries one of the larger sizes, which take longer

#define DRAWN_NOTE ", a size drawn from the seed"

static uint64_t drawn_sizes; // how many draw_size has returned

// From low, at least 1, to high. Each doubling is equally likely, so small sizes are as likely as large ones.
static inline long long draw_size(long long low, long long high)
{
    uint64_t state = harness.seed * 1000003u + ++drawn_sizes;
    double share = ldexp((double)(random_bits(&state) >> 11), -53);
    long long size = (long long)((double)low * pow((double)(high + 1) / (double)low, share));
    return size < high ? size : high;
}

// The start of part i of DRAWN, into which the sizes from 1 to high are divided. The last part is the upper half; the
// others have equal numbers of doublings.
static inline long long drawn_part(long long high, int i)
{
    return i == DRAWN ? high : (long long)ceil(pow((double)high / 2, (double)i / (DRAWN - 1)));
}

// The sides of a shape with so many rows, or columns, that 16 bits do not count them, nor 8 bits the tiles of up to
// 256.
static inline int draw_long_side(void)
{
    return (int)draw_size((1 << 16) + 1, (1 << 16) + 4096);
}

static inline int draw_short_side(void)
{
    return (int)draw_size(4, 8);
}

// An odd size from low to n.
static inline long long draw_ragged(long long low, long long n)
{
    return draw_size(low, n - 2) | 1;
}
