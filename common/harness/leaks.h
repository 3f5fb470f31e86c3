// leaks.h: checks whether the exercise keeps device memory, streams, events or graphs in run after run. On the SIMT
// machine only, since other programs allocate on a GPU, too.
#pragma once

#include "harness/state.h"
#include <cuda_runtime.h>
#include <stdio.h>

static struct {
    size_t used;      // bytes before the current run
    uint64_t number;  // number of the first allocation after it
    uint64_t objects; // allocations, streams, events, graphs, textures before it
    long long leaked_n; // the largest n of a run that has kept memory
    int runs;         // consecutive runs that kept memory, although an earlier one had as large an n
    int grown;        // runs, consecutive or not, that kept one more object, although an earlier one had as large an n
    size_t kept;      // bytes that the last run has kept
    bool keeps;       // the last run has kept memory or an object
} leaks;

enum { LEAKS_IN_A_ROW = 4, LEAKS_IN_ALL = 16 };

#define OBJECTS "streams, events, graphs, textures, page-locked memory"

static inline size_t device_used(void)
{
    size_t left = 0, all = 0;
    return cudaMemGetInfo(&left, &all) == cudaSuccess ? all - left : 0;
}

static inline uint64_t objects_used(void)
{
    return simt_objects ? simt_objects() : 0;
}

static inline void begin_leaks(void)
{
    leaks.used = device_used();
    leaks.objects = objects_used();
    leaks.number = simt_allocations ? simt_allocations() : 0;
}

// After a run that kept memory: describes the first allocation that it did not free; "" if unknown.
static inline const char *leak_text(void)
{
    static char words[96];
    uint64_t size = 0, number = simt_kept ? simt_kept(leaks.number, &size) : 0;
    if (number > 0)
        snprintf(words, sizeof words, "\n  which   allocation %llu of the %llu in this run, %llu byte%s",
                 (unsigned long long)(number - leaks.number), (unsigned long long)(simt_allocations() - leaks.number),
                 (unsigned long long)size, plural((long long)size));
    return words;
}

// Called after a run: is there a leak? A workspace may be kept from run to run and grow with n. Four consecutive
// runs leak if each keeps memory and has no larger n than an earlier one that did so. So do sixteen in all that
// keep one more object. A workspace that is replaced when it grows does not add an object.
static inline bool leaked(long long n)
{
    size_t used = device_used();
    uint64_t objects = objects_used();
    bool more = objects > leaks.objects, again = n <= leaks.leaked_n;
    leaks.kept = used > leaks.used ? used - leaks.used : 0;
    leaks.keeps = leaks.kept > 0 || more;
    leaks.runs = leaks.kept == 0 ? 0 : leaks.runs + again;
    leaks.grown += !more || !again ? 0 : objects - leaks.objects < LEAKS_IN_ALL ? 1 : LEAKS_IN_ALL;
    if (leaks.keeps && n > leaks.leaked_n)
        leaks.leaked_n = n;
    return leaks.runs >= LEAKS_IN_A_ROW || leaks.grown >= LEAKS_IN_ALL;
}
