// inputs.h: the input sets of chapter 04-sort: how keys are made, and their order on the host. sort.h
// states the problem.
#pragma once

#include "harness/random.h"
#include "sort/calls.h"
#include <limits.h>

struct sort {
    sort_keys_function *keys;       // either this
    sort_records_function *records; // or that is NULL
    enum order order;
    int values, n;             // values: with or without
    struct columns x, in, out; // x: the input on the host
    unsigned *d_tmp;
};

// ---- Orders on the host ------------------------------------------------------------------------------------
// The number of the 2^32 keys that come before this one.
static unsigned keys_before(unsigned key, enum order order)
{
    bool negative = key >= HALF;
    return order == UNSIGNED ? key : order == FLOATS && negative ? UINT_MAX - key : key + HALF;
}

// The key with this many keys before it in the order.
static unsigned key_at_rank(unsigned before, enum order order)
{
    bool negative = before < HALF;
    return order == UNSIGNED ? before : order == FLOATS && negative ? UINT_MAX - before : before + HALF;
}

// For qsort: as unsigned numbers.
static int compare_words(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

// ---- Inputs ----------------------------------------------------------------------------------------------
// The AND of this many random words in each key; of none, the largest word.
static void fill_and(struct sort *s, uint64_t *state, int words)
{
    for (int i = 0; i < s->n; i++) {
        s->x.keys[i] = UINT_MAX;
        for (int k = 0; k < words; k++)
            s->x.keys[i] &= (unsigned)(random_bits(state) >> 32);
    }
}

// From the first key of the order to the last: all different, with the largest at the end; backwards for down = 1.
static void fill_line(struct sort *s, uint64_t * /* state */, int down)
{
    for (int i = 0; i < s->n; i++) {
        int place = down ? s->n - 1 - i : i;
        s->x.keys[i] = key_at_rank(UINT_MAX - (unsigned)(s->n - 1 - place) * (UINT_MAX / (unsigned)s->n), s->order);
    }
}

// A few keys that differ in one byte each.
static void fill_few(struct sort *s, uint64_t *state, int /* how */)
{
    for (int i = 0; i < s->n; i++)
        s->x.keys[i] = 0x01020304u << random_bits(state) % 4;
}

// The same key everywhere, except for one in one_in.
static void fill_hot(struct sort *s, uint64_t *state, int one_in)
{
    for (int i = 0; i < s->n; i++) {
        uint64_t bits = random_bits(state);
        s->x.keys[i] = bits % (unsigned)one_in ? 0x01020304 : (unsigned)(bits >> 32);
    }
}

// The edges of an order: zeros, infinities, NaNs, the smallest and largest of each kind.
static void fill_edges(struct sort *s, uint64_t *state, int /* how */)
{
    const unsigned edges[] = {0,          1,          0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff,
                              0x7f800000, 0x7f800001, 0x7fc00000, INT_MAX,    HALF,       HALF + 1,
                              0xbf800000, 0xff7fffff, 0xff800000, 0xff800001, 0xffc00000, UINT_MAX};
    for (int i = 0; i < s->n; i++)
        s->x.keys[i] = edges[random_bits(state) % (sizeof edges / sizeof *edges)];
}

struct input {
    const char *name;
    void (*fill)(struct sort *s, uint64_t *state, int how);
    int how, skip_in, skip_out; // words from a 16-byte boundary to d_in, to d_out
};

static const struct input INPUTS[] = {
    {"entropy 1.000", fill_and, 1, 0, 0},   {"entropy 0.544", fill_and, 3, 1, 1}, {"entropy 0.201", fill_and, 5, 2, 0},
    {"all the largest", fill_and, 0, 0, 3}, {"sorted", fill_line, 0, 3, 2},       {"reversed", fill_line, 1, 0, 1},
    {"few distinct", fill_few, 0, 1, 0},    {"edges", fill_edges, 0, 2, 2},
};
enum { SETS = sizeof INPUTS / sizeof INPUTS[0] };
