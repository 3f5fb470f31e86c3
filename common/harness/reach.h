// reach.h: after a sampled launch at the largest n: how far its blocks reach in the input and the output, and which
// values they store.
#pragma once

#include "harness/memory.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <stdlib.h>
#include <string.h>

// Whether the checks see every access. If so, slow cases whose defects show in results are left to runs without checks.
static inline bool is_checked(void)
{
    const char *checks = getenv("SIMT_CHECK");
    return !checks || strcmp(checks, "none") != 0;
}

#define WRAPS "  hint    does an index wrap around?"
#define MAX_REACHED 32 // kernels
#define WHOLE_ROWS 8   // with fewer rows every block has a part of each, which shows how far the first is written

// Whether the kernel stops before the end of the array. It may touch only a part of it, a tenth at most.
static inline void check_end(const struct simt_reach *r, const char *verb, const char *what)
{
    if (r->high - r->low > 0.1 && r->high < 0.9)
        fail(WRONG,
             "wrong answer: %s %s the %s up to %.1f %% of its length, and nothing beyond it\n"
             "  hint    does an index wrap around, or the grid end too early?",
             r->kernel, verb, what, 100 * r->high);
}

// Whether all kernels together touch enough of the array. used: the share that is not padding. Not checked with checks
// on: at the size drawn there, too many of the executed blocks may be at the edges.
static inline void check_share(const struct simt_reach *r, int kernels, double used, const char *verb, const char *what)
{
    double share = 0;
    for (int i = 0; i < kernels && !is_checked(); i++)
        share += r[i].share;
    if (share > 0 && share < 0.9 * used)
        fail(WRONG, "wrong answer: all blocks together %s %.1f %% of the %s\n  hint    does the grid end too early?",
             verb, 100 * share / used, what);
}

static inline void check_no_twins(const struct simt_reach *reach, int kernels, const char *what)
{
    for (int i = 0; i < kernels; i++)
        if (reach[i].block > 0)
            fail(WRONG, "wrong answer: block %llu of %s reads what block %llu has read in %s\n" WRAPS,
                 (unsigned long long)reach[i].block, reach[i].kernel, (unsigned long long)reach[i].other, what);
}

// After a run at the largest n: whether a block reads what another one has read, as with a 16-bit block number.
static inline void check_twins(const void *p, size_t bytes, const char *what)
{
    struct simt_reach reach[MAX_REACHED] = {};
    int kernels = simt_reach && bytes > 0 ? simt_reach(p, bytes, 0, reach, MAX_REACHED) : 0;
    check_no_twins(reach, kernels, what);
}

// Likewise: whether the kernels together read all of the input, each kernel that reads it reaches its end, and each
// block reads a different part. For inputs of which no two blocks read the same part. used: the share that is not
// padding. For one row of several, pass 0: too few of the executed blocks work there to tell how much all blocks read.
static inline void check_all_loaded(const void *p, size_t bytes, double used)
{
    struct simt_reach reach[MAX_REACHED] = {};
    int kernels = simt_reach && bytes > 0 ? simt_reach(p, bytes, 0, reach, MAX_REACHED) : 0;
    check_share(reach, kernels, used, "read", "input");
    for (int i = 0; i < kernels; i++)
        check_end(&reach[i], "reads", "input");
    check_no_twins(reach, kernels, "the input");
}

// At an n that 32 bits barely hold: whether each loop ends where the array does, and the last block has a part.
static inline void check_ends(const void *p, size_t bytes, int stores, const char *what)
{
    struct simt_reach reach[MAX_REACHED] = {};
    int kernels = simt_reach && !is_checked() ? simt_reach(p, bytes, stores, reach, MAX_REACHED) : 0;
    for (int i = 0; i < kernels; i++) {
        if (reach[i].back > 0)
            fail(WRONG, "wrong answer: block %llu of %s goes back to the start of the %s after its end\n" WRAPS,
                 (unsigned long long)reach[i].back - 1, reach[i].kernel, what);
        if (reach[i].idle)
            fail(WRONG, "wrong answer: the last block of %s has no part of the %s, and all others have one\n" WRAPS,
                 reach[i].kernel, what);
    }
}

// Likewise: whether the last element is read, or written. At an n just above a power of two, which a float rounds down.
static inline void check_last(const void *p, size_t bytes, int stores)
{
    struct simt_reach reach[MAX_REACHED] = {};
    int kernels = simt_reach && !is_checked() ? simt_reach(p, bytes, stores, reach, MAX_REACHED) : 0;
    uint64_t lacks = bytes;
    for (int i = 0; i < kernels; i++)
        lacks = reach[i].high > 0 && reach[i].lacks < lacks ? reach[i].lacks : lacks;
    if (lacks > 0 && lacks < bytes)
        fail(WRONG,
             "wrong answer: no block %s the last %llu byte%s of the %s\n"
             "  hint    is the number of blocks computed in float, which has 24 bits?",
             stores ? "writes" : "reads", (unsigned long long)lacks, plural((long long)lacks),
             stores ? "output" : "input");
}

// Just above 2^k, so that a float rounds it down, and odd. k >= 25.
static inline long long past_power(int k)
{
    return (1LL << k) + (1LL << (k - 25)) + 1;
}

// Likewise: whether the kernels write all of the output, and each that writes it reaches its end.
static inline void check_all_stored(const void *p, size_t bytes, double used)
{
    struct simt_reach reach[MAX_REACHED] = {};
    int kernels = simt_reach && bytes > 0 ? simt_reach(p, bytes, 1, reach, MAX_REACHED) : 0;
    check_share(reach, kernels, used, "write", "output");
    for (int i = 0; i < kernels; i++)
        check_end(&reach[i], "writes", "output");
}

// After a run at the largest n: every word that the blocks have stored there is 0, or a float that is not finite,
// such as 0 / 0.
static inline void check_zeros(const void *p, size_t bytes, int floats)
{
    const char *odd = simt_nonzero ? (const char *)simt_nonzero(p, bytes, floats, zeros.at, zeros.count) : NULL;
    if (odd)
        fail(WRONG,
             "wrong answer: the input is all zeros, and byte %lld of the output, of %lld, is not 0\n"
             "  hint    does the program store a second result there, or that of another element?",
             (long long)(odd - (const char *)p), (long long)bytes);
}

// Likewise: does a kernel compute an index in float? Its 24 bits hold no numbers as large as the largest n has.
static inline void check_not_rounded(void)
{
    const char *place = simt_rounded && !is_checked() ? simt_rounded() : NULL;
    if (place)
        fail(WRONG,
             "wrong answer: an index is rounded at %s, where a float of 2^24 or more becomes an integer\n"
             "  hint    a float has 24 bits: compute indices as int or size_t",
             place);
}
