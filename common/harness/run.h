// run.h: one run of the exercise: its name, its seed, and the checks before and after it.
#pragma once

#include "harness/leaks.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <cuda_profiler_api.h>

// Rounds of calls that reuse the previous round's memory. Each round changes the contents and one other thing. A
// program that caches something from a call, and recognizes that call by an address, a size or a shape, is wrong in one
// of them. A driver reads `changed` for its chapter's shapes; a change stays in effect.
enum round {
    FIRST = 1,
    OTHER_CONTENTS,
    OTHER_HEIGHT,
    OTHER_DEPTH,
    OTHER_COUNT,
    OTHER_PITCH,
    OTHER_SIZE,
    FORMER_SIZE,
    OTHER_MEMORY
};

static inline bool changed(enum round what)
{
    return harness.round >= (int)what;
}

static inline bool is_larger_round(void)
{
    return harness.round == OTHER_SIZE;
}

static inline void begin_case(const char *input, long long n, const char *note)
{
    harness.place = harness.round > 0 && !changed(OTHER_MEMORY);
    harness.input = input;
    harness.case_n = n;
    harness.largest_n = n > harness.largest_n ? n : harness.largest_n;
    harness.note = note;
}

static inline void print_right(void)
{
    fputs(harness.not_run, stdout);
    printf("%s: right in %lld run%s, n %s %lld\n", source_name(harness.file), harness.runs, plural(harness.runs),
           harness.n < 0 ? "up to" : "=", harness.largest_n);
}

// Called before the run whose counters are reported; accesses of earlier runs are not counted. Its random input differs
// from that of every earlier run, so that an answer kept from one is wrong; each further call starts another such run.
// A profiler that waits for cudaProfilerStart sees this run alone.
static inline void begin_counted(void)
{
    harness.counted++;
}

static inline uint64_t case_seed(uint64_t n)
{
    uint64_t counted = harness.counted ? (uint64_t)(harness.counted - 1) << 40 : 1ull << 63;
    uint64_t round = (uint64_t)(harness.round + 16 * harness.moved) << 48;
    return harness.seed * 1000003u + n + round + counted;
}

static inline void before_run(void)
{
    if (simt_reset) {
        check_cuda(cudaDeviceSynchronize()); // the inputs must be complete, whatever stream reads them
        begin_leaks();
        simt_reset();
        simt_count(harness.counted || harness.json); // otherwise only launches, blocks and copies are needed
    }
    if (harness.counted)
        check_cuda(cudaProfilerStart());
}

static inline void fail_of_leak(void)
{
    if (leaks.kept > 0)
        fail(UNSAFE, "unsafe: every run allocates device memory that it does not free, this one %zu byte%s%s",
             leaks.kept, plural((long long)leaks.kept), leak_text());
    fail(UNSAFE, "unsafe: many runs create an object that they do not destroy or free (" OBJECTS ")");
}

// Ends the program if it keeps more and more.
static inline void fail_on_leaks(void)
{
    if (simt_read && leaked(harness.case_n))
        fail_of_leak();
}

// Waits for the device; ends the program on an error or a finding; reads the counters.
static inline void after_run(void)
{
    check_cuda(cudaGetLastError());
    check_cuda(cudaDeviceSynchronize());
    if (harness.counted)
        check_cuda(cudaProfilerStop());
    if (simt_findings && simt_findings() > 0)
        fail(UNSAFE, "unsafe: see the findings above");
    if (simt_refused_launches && simt_refused_launches() > 0)
        fail(UNSAFE, "unsafe: a launch was refused, see above, and the program went on as if it had succeeded\n"
                     "  hint    call check_cuda(cudaGetLastError()) right after every launch");
    fail_on_leaks();
    if (simt_read)
        simt_read(&harness.counters);
    if (harness.counters.host_reads > 0 && !harness.host_may_read && !harness.read_input) {
        harness.read_input = harness.input;
        harness.read_n = harness.case_n;
    }
    harness.runs++;
}

// If the last run has kept something, repeats its call: what a call keeps every time is a leak, even if no other case
// has its size. `often` makes the driver restore what a call changes. The counters remain those of the run.
static inline void repeat_if_kept(void (*call)(void *context), void *context)
{
    struct simt_counters counters = harness.counters;
    harness.often++;
    for (int again = 0; leaks.keeps && again < LEAKS_IN_A_ROW; again++) {
        before_run();
        call(context);
        after_run();
    }
    harness.often--;
    harness.counters = counters;
    if (leaks.keeps)
        fail_of_leak();
}

// One run: harness.often calls, then `times` more, with one input. The next call finds what the previous one left.
static inline void run_calls(void (*call)(void *context), void *context, int times)
{
    before_run();
    for (times += harness.often; times > 0; times--)
        call(context);
    after_run();
    repeat_if_kept(call, context);
}

// Calls that differ in their contents and in the address of one array, the first array, then the second, and so on.
static inline void check_moved_arrays(void (*run)(void *context, long long n), void *context, long long n)
{
    int arrays = min(harness.place - 1, MOST_PLACES); // of the last case
    for (harness.moved = 1; harness.moved <= arrays; harness.moved++)
        run(context, n);
    harness.moved = 0;
}

// Calls for which state kept from an earlier call is wrong: see enum round. run reads from `changed` what else differs.
static inline void check_stale_state(void (*run)(void *context, long long n), void *context, long long n)
{
    for (harness.round = FIRST; harness.round <= OTHER_MEMORY; harness.round++) {
        run(context, is_larger_round() ? 3 * n + 1 : n);
        if (harness.round == FORMER_SIZE)
            check_moved_arrays(run, context, n);
    }
    harness.round = 0;
}
