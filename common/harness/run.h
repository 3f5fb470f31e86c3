// run.h: one run of the exercise: its name, its seed, and what is looked at before and after it.
#ifndef HARNESS_RUN_H
#define HARNESS_RUN_H

#include "harness/leaks.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <cuda_profiler_api.h>

static inline void begin_case(const char *input, long long n, const char *note)
{
    harness.input = input;
    harness.case_n = n;
    harness.most_n = n > harness.most_n ? n : harness.most_n;
    harness.note = note;
}

static inline void print_right(void)
{
    printf("%s: right in %lld runs, n %s %lld\n", source_name(harness.file), harness.runs,
           harness.n < 0 ? "up to" : "=", harness.most_n);
}

// Called before the run whose counters are reported; in the runs before it accesses are not counted. Its random
// input is one that no run before it has had, so that an answer kept from an earlier run is wrong; called again, for
// another such run. A profiler that waits for cudaProfilerStart sees this run alone.
static inline void begin_counted(void)
{
    harness.counted++;
}

static inline uint64_t case_seed(uint64_t n)
{
    return harness.seed * 1000003u + n + (harness.counted ? (uint64_t)(harness.counted - 1) << 40 : 1ull << 63);
}

static inline void before_run(void)
{
    if (simt_reset) {
        begin_leaks();
        simt_reset();
        simt_count(harness.counted || harness.json); // else only launches, blocks and copies are asked for
    }
    if (harness.counted)
        check_cuda(cudaProfilerStart());
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
    size_t kept = simt_read ? leaked(harness.case_n) : 0;
    if (kept > 0)
        fail(UNSAFE, "unsafe: every run allocates device memory that it does not free, this one %zu bytes", kept);
    if (simt_read)
        simt_read(&harness.counters);
    if (harness.counters.host_reads > 0 && !harness.host_may_read && !harness.read_input) {
        harness.read_input = harness.input;
        harness.read_n = harness.case_n;
    }
    harness.runs++;
}

// One run: `times` calls with one input. What a call leaves behind meets the next one.
static inline void run_calls(void (*call)(void *context), void *context, int times)
{
    before_run();
    while (times-- > 0)
        call(context);
    after_run();
}
#endif
