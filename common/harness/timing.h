// timing.h: how long a run takes on a GPU: by events, caches cold, median of many. Never on the SIMT machine.
#ifndef HARNESS_TIMING_H
#define HARNESS_TIMING_H

#include "harness/memory.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <stdio.h>
#include <stdlib.h>

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// One run on a GPU in ms, by events, with the L2 cache flushed before it.
static inline double once_ms(void (*run)(void *context), void *context)
{
    static cudaEvent_t start, stop;
    static void *flush;
    static int bytes;
    float ms = 0;
    if (!flush) {
        check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
        bytes = 2 * bytes + 1;
        flush = device_alloc((size_t)bytes);
        check_cuda(cudaEventCreate(&start));
        check_cuda(cudaEventCreate(&stop));
    }
    check_cuda(cudaMemsetAsync(flush, 0, (size_t)bytes, 0));
    check_cuda(cudaEventRecord(start, 0));
    run(context);
    check_cuda(cudaEventRecord(stop, 0));
    check_cuda(cudaEventSynchronize(stop));
    check_cuda(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return (values[count / 2] + values[(count - 1) / 2]) / 2;
}

// Median of harness.reps runs, after two to warm up. Unless --reps asks for all, LONG_ENOUGH ms of three or more will
// do, and one that takes half as long is the only one to warm up.
static inline double median_ms(void (*run)(void *context), void *context)
{
    enum { LONG_ENOUGH = 500 };
    double *ms = (double *)host_alloc((size_t)harness.reps * sizeof *ms), middle, sum = 0;
    int count = 0;
    for (int i = 0; i < 2 && (harness.all_reps || sum < LONG_ENOUGH / 2); i++)
        sum = once_ms(run, context);
    sum = 0;
    while (count < harness.reps && (harness.all_reps || count < 3 || sum < LONG_ENOUGH))
        sum += ms[count++] = once_ms(run, context);
    middle = median(ms, count);
    host_free(ms);
    return middle;
}

// Peak bandwidth of the device's memory: two transfers a clock. 0 where the driver does not tell.
static inline double peak_gb_per_s(void)
{
    int khz = 0, bits = 0;
    check_cuda(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    check_cuda(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    return 2.0 * khz * 1e3 * bits / 8 / 1e9;
}

// bytes: what the problem must move at least.
static inline void report_time(long long n, double ms, double bytes)
{
    double gb = bytes / ms / 1e6, peak = peak_gb_per_s();
    printf("n = %-11lld %10.4f ms %9.1f GB/s", n, ms, gb);
    printf(peak > 0 ? "  %5.1f %% of the peak, %.0f\n" : "\n", 100 * gb / peak, peak);
    if (harness.timed < MAX_TIMES) {
        struct timing t = {n, ms, gb, peak > 0 ? gb / peak : 0, 0};
        harness.times[harness.timed++] = t;
    }
}

// flops: floating-point operations that the problem takes, where they, not bytes, are what limits it.
static inline void report_flops(long long n, double ms, double flops)
{
    double gflop = flops / ms / 1e6;
    printf("n = %-11lld %10.4f ms %9.2f TFLOP/s\n", n, ms, gflop / 1e3);
    if (harness.timed < MAX_TIMES) {
        struct timing t = {n, ms, 0, 0, gflop};
        harness.times[harness.timed++] = t;
    }
}
#endif
