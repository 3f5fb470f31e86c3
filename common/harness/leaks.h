// leaks.h: does the exercise keep device memory run after run? On the SIMT machine alone: on a GPU others take
// memory, too.
#ifndef HARNESS_LEAKS_H
#define HARNESS_LEAKS_H

#include <cuda_runtime.h>

static struct {
    size_t used;      // bytes before the run at work
    long long kept_n; // the largest n of a run that has kept memory
    int runs;         // in a row that kept memory, though an earlier one had as large an n
} leaks;

static inline size_t device_used(void)
{
    size_t left = 0, all = 0;
    return cudaMemGetInfo(&left, &all) == cudaSuccess ? all - left : 0;
}

static inline void begin_leaks(void)
{
    leaks.used = device_used();
}

// Called after a run. Returns the bytes it has kept if that is a leak, else 0. A workspace may be kept from run to run
// and grow with n: four runs leak if each keeps memory and has no larger n than an earlier one that did so.
static inline size_t leaked(long long n)
{
    size_t used = device_used(), kept = used > leaks.used ? used - leaks.used : 0;
    leaks.runs = kept == 0 ? 0 : leaks.runs + (n <= leaks.kept_n);
    if (kept > 0 && n > leaks.kept_n)
        leaks.kept_n = n;
    return leaks.runs >= 4 ? kept : 0;
}
#endif
