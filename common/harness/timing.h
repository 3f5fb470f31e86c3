// timing.h: the time of a run on a GPU: by events, with cold caches, the median of many. The SIMT machine takes no
// times; it may estimate them.
#pragma once

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

// The estimated time of one run on the SIMT machine, in ms. It also begins with cold caches.
static inline double estimated_ms(void (*run)(void *context), void *context)
{
    simt_reset();
    simt_estimate(1);
    run(context);
    check_cuda(cudaDeviceSynchronize());
    simt_estimate(0);
    if (!simt_estimated(&harness.estimate))
        fail(BROKEN, "there is no estimate of a run that launches nothing");
    return harness.estimate.us / 1e3;
}

static inline void print_time(long long n, double ms)
{
    printf("n = %-11lld %s%*.4f ms", n, harness.estimates ? "~" : "", harness.estimates ? 0 : 10, ms);
}

// Ends a row of times.
static inline void end_time(void)
{
    if (harness.estimates)
        printf(", estimated for an %s; limited by %s", harness.estimate.gpu, harness.estimate.limit);
    printf("\n");
}

// Median of harness.reps runs, after two warm-up runs. Unless --reps asks for all, three or more runs of LONG_ENOUGH ms
// in total are enough, and a warm-up run that takes half as long is the only one.
static inline double median_ms(void (*run)(void *context), void *context)
{
    enum { LONG_ENOUGH = 500 };
    if (harness.estimates)
        return estimated_ms(run, context);
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

// Peak bandwidth of the device's memory: two transfers per clock. 0 if the driver does not report it.
static inline double peak_gb_per_s(void)
{
    int khz = 0, bits = 0;
    check_cuda(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    check_cuda(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    return 2.0 * khz * 1e3 * bits / 8 / 1e9;
}

// bytes: the minimum that the problem must move.
static inline void report_time(long long n, double ms, double bytes)
{
    double gb = bytes / ms / 1e6, peak = harness.estimates ? 0 : peak_gb_per_s();
    print_time(n, ms);
    printf(" %9.1f GB/s", gb);
    if (peak > 0)
        printf("  %5.1f %% of the peak, %.0f", 100 * gb / peak, peak);
    end_time();
    if (harness.timed < MAX_TIMES) {
        struct timing t = {n, ms, gb, peak > 0 ? gb / peak : 0, 0};
        harness.times[harness.timed++] = t;
    }
}

// flops: the problem's floating-point operations, if these and not bytes are the limit.
static inline void report_flops(long long n, double ms, double flops)
{
    double gflop = flops / ms / 1e6;
    print_time(n, ms);
    printf(" %9.2f TFLOP/s", gflop / 1e3);
    end_time();
    if (harness.timed < MAX_TIMES) {
        struct timing t = {n, ms, 0, 0, gflop};
        harness.times[harness.timed++] = t;
    }
}
