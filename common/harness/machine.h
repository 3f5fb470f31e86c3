// machine.h: requests of a driver that only the SIMT machine can serve, not a GPU: sampled launches at the largest n, a
// block that stalls, and how many elements a block computes, for each kernel.
#pragma once

#include "harness/draw.h"
#include "harness/lesson.h"
#include "harness/memory.h"
#include "harness/reach.h"
#include "harness/run.h"
#include "harness/state.h"
#include <stdlib.h>

// Is this the lesson's run? It runs one case, and then only what the bounds are about: a program can neither know its
// input nor tell this run from a checked one.
static inline bool only_counted(void)
{
    return simt_read && harness.expects > 0 && !harness.check && !harness.bench && !harness.plan;
}

// Whether the largest n is one of all the cases.
static inline bool wants_large(void)
{
    return simt_sample && harness.check && harness.n < 0;
}

// Without checks the largest n; with them a size that the seed draws, from low up, and that is sampled as well: what is
// unsafe from some n on is unsafe there.
static inline long long draw_large(long long low, long long most)
{
    return is_checked() && !harness.large ? draw_size(low, most) : most;
}

// Whether this run executes blocks in order. Only one of the result's two runs does, so long cases are left to it.
static inline bool is_in_order(void)
{
    const char *order = getenv("SIMT_SCHEDULE");
    return !order || !strstr(order, "random");
}

// Whether this run leaves a case to another: the result's run in order, graded, to the one in random order. They run a
// case with a stalled block in the same way; for a size beyond 2^17 the far one stands in, in order; and safety, in
// order, repeats a call more often. A run by hand, on a GPU, or in an order of the user's has no other run.
static inline bool left_to_random(void)
{
    return simt_read && verdict_record.open && harness.check && harness.n < 0 && !is_checked() &&
           !getenv("SIMT_SCHEDULE");
}

// Whether to try a size beyond those that every part tries.
static inline bool wants_larger(void)
{
    return !is_checked() && !left_to_random();
}

// Whether a size just above a power of two, which a float rounds down, is one of the large cases.
static inline bool wants_past_power(void)
{
    return wants_large() && !is_checked() && is_in_order();
}

// Every driver begins with this: with --large it runs only the largest n, that of --n or else `largest`.
static inline void run_large(void (*check_largest)(void *context, long long n), void *context, long long largest)
{
    if (!harness.large)
        return;
    check_largest(context, harness.n >= 0 ? harness.n : largest);
    finish(RIGHT);
}

// Every driver ends with this, after the counted runs: the bounds, then, if all cases are run, the largest n, and
// `past` if it is not 0. largest 0: check_largest draws its sizes itself.
static inline __attribute__((noreturn)) void finish_counted(void (*check_largest)(void *context, long long n),
                                                            void *context, long long low, long long largest,
                                                            long long past)
{
    check_expectations();
    if (wants_large())
        check_largest(context, largest > 0 ? draw_large(low, largest) : 0);
    if (past > 0 && wants_past_power())
        check_largest(context, past);
    finish(RIGHT);
}

// Whether to try a size far beyond the counted ones, too, and compare its whole answer. This takes up to a second, so
// only one of the result's two runs does it, the one in order. Memory is sparse until end_huge, because the checks'
// state for dense memory would hardly fit the process limits.
static inline bool begin_huge(void)
{
    if (!simt_sample || is_checked() || !harness.check || harness.n >= 0 || !is_in_order())
        return false;
    simt_sample("all");
    poisons_sparse = 1;
    return true;
}

static inline void end_huge(void)
{
    poisons_sparse = 0;
    simt_sample(NULL);
}

// A case whose call is repeated after `unchecked` others, since counters of 8 bits wrap around. With checks on there
// are more calls than in any run without checks. So a program that becomes unsafe at some call is caught.
static inline void check_repeated(void (*run)(void *context, long long n), void *context, long long n, int unchecked)
{
    harness.often = is_checked() ? 383 : left_to_random() ? 0 : unchecked;
    run(context, n);
    harness.often = 0;
}

#define LARGE_NOTE ", some blocks of each launch\n  hint    at this size an int wraps around, and tables and grids end"

static struct {
    struct simt_counters counters;
    const char *input;
    long long n;
} before_large;

// Samples launches from here to end_large: the host's code runs in full, but each launch runs only its first block, its
// last one and some others. Untouched memory takes no space. All arrays hold zeros, and so must the results
// (check_zeros). This detects indices that wrap around, refused grids, and tables that are too small. bytes: the device
// memory of the case. False: do not run it.
static inline bool begin_large(long long n, double bytes, const char *note)
{
    if (!simt_sample)
        fail(SKIPPED, "skipped: --large runs some blocks of each launch, which the SIMT machine alone can do");
    before_large.counters = harness.counters;
    before_large.input = harness.input;
    before_large.n = harness.case_n;
    zeros.on = 1;
    zeros.count = 0;
    begin_case("zeros", n, note);
    strcat(harness.shape, " --large");
    if (planned(0))
        return false;
    simt_sample("first,last,powers,random:4,spread:32");
    return bytes < 400e9 && fits((size_t)bytes, 0);
}

// From here to simt_sample(NULL) untouched memory takes no space, so a pitch may be huge while the case is checked as
// usual. False: there is no such memory.
static inline bool begin_sparse(double bytes)
{
    if (!simt_sample || harness.plan || is_checked())
        return false;
    simt_sample("all");
    if (bytes < 400e9 && fits((size_t)bytes, 0))
        return true;
    simt_sample(NULL);
    return false;
}

// Copies rows of `pitch` floats on the device from rows of `length` on the host, or back: to the host if from
// is the device's.
static inline void copy_rows(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t rows)
{
    size_t length = to_pitch < from_pitch ? to_pitch : from_pitch;
    if (rows > 0 && length > 0)
        check_cuda(cudaMemcpy2D(to, to_pitch * sizeof *to, from, from_pitch * sizeof *to, length * sizeof *to, rows,
                                cudaMemcpyDefault));
}

// The SIMT machine takes no times. If SIMT_ESTIMATE is set, it estimates the time of one size: usual, or that of --n.
static inline void skip_bench_without_gpu(long long usual)
{
    struct simt_estimate e = {};
    if (!harness.bench || !simt_read)
        return;
    if (simt_estimated)
        simt_estimated(&e);
    if (!e.gpu)
        fail(SKIPPED, "skipped: --bench takes times, and times come from a GPU only");
    harness.n = harness.n < 0 ? usual : harness.n;
    harness.estimates = 1;
    simt_estimate(0);
}

// Whether the current run is timed or its time estimated.
static inline bool is_timed(void)
{
    return !harness.check && (!simt_read || harness.estimates);
}

// After a run at the largest n, with an input of this many bytes: checks that the blocks read all of it, judging by the
// executed ones. Nothing else detects a grid cut off at 65535 blocks. Does nothing with checks on, as check_share.
static inline void check_all_read(double bytes)
{
    double share = simt_sampled_loads && !is_checked() ? 32 * simt_sampled_loads() / bytes : -1;
    if (share >= 0 && share < 0.6)
        fail(WRONG, "wrong answer: all blocks together read %.1f %% of the input; does the grid end too early?",
             100 * share);
}

static inline void end_large(void)
{
    check_not_rounded();
    simt_sample(NULL);
    zeros.on = 0;
    harness.shape[strlen(harness.shape) - strlen(" --large")] = 0;
    harness.counters = before_large.counters;
    harness.input = before_large.input;
    harness.case_n = before_large.n;
}

// Calls of a case whose blocks are all run, as if others had added `before` to *count by atomics. No other word counts.
static inline bool run_counted_before(void (*call)(void *context), void *context, const int *count, unsigned before)
{
    char blocks[64];
    if (!simt_sample || is_checked() || !is_in_order())
        return false;
    snprintf(blocks, sizeof blocks, "random:1000,tickets:%u,at:%llu", before, (unsigned long long)(uintptr_t)count);
    simt_sample(blocks);
    run_calls(call, context, 1);
    return true;
}

// Stops this block at its first barrier until no other one makes progress: by then many have published, and wait.
static inline void stall_block(int block)
{
    snprintf(harness.stalls, sizeof harness.stalls, "stall:%d", block);
    if (simt_schedule)
        simt_schedule(harness.stalls);
}

static inline void end_stall(void)
{
    if (simt_schedule)
        simt_schedule(NULL);
    harness.stalls[0] = 0;
}

// Whether a bound names this counter.
static inline bool is_bounded(const char *counter)
{
    int any = 0;
    for (int i = 0; i < harness.expects; i++)
        any |= strstr(harness.expect[i], counter) != NULL;
    return any && simt_schedule;
}

// Whether there is a bound on waits. They are counted in a separate run, from begin_waits to end_waits, with a block
// that stalls: in other orders the number of failed polls is random.
static inline bool counts_waits(void)
{
    return is_bounded("waits");
}

static struct simt_counters before_waits;

static inline void begin_waits(void)
{
    begin_counted();
    before_waits = harness.counters;
    stall_block(0);
}

static inline void end_waits(void)
{
    before_waits.waits = harness.counters.waits;
    harness.counters = before_waits;
    end_stall();
}

// Whether the next run, of a ragged n, must also meet the bounds. If so, saves the counters of the previous run.
static inline bool count_ragged(void)
{
    if (harness.expects == 0 || !simt_read || harness.case_n < 16)
        return false;
    save_counted();
    return true;
}

#define MAX_TILES 4 // number of candidates
#define MAX_KERNELS 8

// The search for tiles. run runs a case; for n = 1 it had these launches, blocks and grids. The current question
// concerns the grid of one kernel or, with NULL, whether anything has grown.
struct tile_search {
    void (*run)(void *context, long long n);
    void *context;
    uint64_t launches, blocks;
    struct simt_grid at_one[MAX_KERNELS];
    int kernels;
    const char *kernel;
};

static inline uint64_t blocks_of(const struct simt_grid *grids, int count, const char *kernel)
{
    for (int i = 0; i < count; i++)
        if (grids[i].kernel == kernel)
            return grids[i].blocks;
    return 0;
}

// After a run: whether it is larger than for n = 1.
static inline bool is_larger(const struct tile_search *t)
{
    struct simt_grid now[MAX_KERNELS];
    if (!t->kernel)
        return harness.counters.launches != t->launches || harness.counters.blocks != t->blocks;
    int count = simt_grids(now, MAX_KERNELS);
    return blocks_of(now, count, t->kernel) > blocks_of(t->at_one, t->kernels, t->kernel);
}

static inline int has_grown(const struct tile_search *t, long long n)
{
    t->run(t->context, n);
    return is_larger(t);
}

// Between low, where the grid has not grown, and high, where it has: the last n in steps at which it has not.
static inline long long last_small(const struct tile_search *t, long long low, long long high, int step)
{
    while (high - low > step) {
        long long middle = low + (high - low) / step / 2 * step;
        *(has_grown(t, middle) ? &high : &low) = middle;
    }
    return low;
}

// The largest n for which it is no larger than for n = 1; 0 if it does not grow up to `most`. Most tiles are whole
// warps, so these are tried first.
static inline long long tile_of(const struct tile_search *t, long long most)
{
    long long low = 0, high = 32;
    for (; high <= most && !has_grown(t, high); high *= 2)
        low = high;
    if (high > most)
        return 0;
    low = last_small(t, low, high, 32);
    return low > 0 && has_grown(t, low + 1) ? low : last_small(t, low + 1, low + 32, 1);
}

static inline int add_tile(long long *tiles, int count, long long tile)
{
    for (int i = 0; i < count; i++)
        if (tiles[i] == tile)
            return count;
    if (tile <= 0 || count == MAX_TILES)
        return count;
    tiles[count] = tile;
    return count + 1;
}

// Elements per block, for each kernel: the largest n for which its grid is no larger than for n = 1. The first of tiles
// is the smallest, 0 if nothing grows up to `most`. Returns the number of tiles.
static inline int find_tiles(void (*run)(void *context, long long n), void *context, long long most, long long *tiles)
{
    struct tile_search t = {run, context, 0, 0, {}, 0, NULL};
    struct simt_grid now[MAX_KERNELS];
    tiles[0] = 0;
    if (!simt_read || harness.plan)
        return 0;
    run(context, 1);
    t.launches = harness.counters.launches;
    t.blocks = harness.counters.blocks;
    t.kernels = simt_grids(t.at_one, MAX_KERNELS);
    int count = add_tile(tiles, 0, tile_of(&t, most));
    if (count == 0)
        return 0;
    run(context, tiles[0] + 1);
    int kernels = simt_grids(now, MAX_KERNELS);
    for (int i = 0; i < kernels; i++) {
        t.kernel = now[i].kernel;
        if (blocks_of(t.at_one, t.kernels, t.kernel) == 0 && t.kernels < MAX_KERNELS)
            t.at_one[t.kernels++] = now[i];                            // its first launch
        if (blocks_of(t.at_one, t.kernels, t.kernel) == now[i].blocks) // else the smallest tile is its own
            count = add_tile(tiles, count, tile_of(&t, most));
    }
    return count;
}

// Runs the sizes around 1 to `times` of the tiles that find_tiles finds. Returns the longest tile, 1 if there is none.
static inline long long run_around_tiles(void (*run)(void *context, long long n), void *context, long long most,
                                         int times)
{
    long long tiles[MAX_TILES], longest = 1;
    int count = find_tiles(run, context, most, tiles);
    for (int i = 0; i < count; i++) {
        longest = tiles[i] > longest ? tiles[i] : longest;
        for (int k = 1; k <= times; k++)
            for (int offset = -1; offset <= 1; offset++)
                run(context, k * tiles[i] + offset);
    }
    return longest;
}
