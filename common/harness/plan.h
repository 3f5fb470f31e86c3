// plan.h: the host memory of the cases.
//
// A driver declares a case's peak when it begins: `if (planned(bytes)) return;`. With --plan nothing runs, and the
// program prints the largest peak. A program linked with the real runtime prints that of the inputs for a GPU, even
// where there is none. tests/harness/plan.sh compares it with the runner's limit. Otherwise host_alloc (memory.h) holds
// the case to its declaration.
#pragma once

#include "harness/state.h"
#include "harness/todo.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t COMPARED_AT_ONCE = 1 << 20; // bytes of a large array: each new page costs more than the comparison
static const size_t UNPLANNED = 64 << 20;       // bytes that a case may take besides its plan

static struct {
    size_t most, now, peak; // bytes: declared by the current case; allocated; the largest of most
    long long peak_n;
    const char *peak_input;
} host_memory;

// Declares this case's peak of host memory, except for small allocations. True: with --plan; do not run it.
static inline int planned(size_t bytes)
{
    host_memory.most = bytes;
    if (bytes > host_memory.peak) {
        host_memory.peak = bytes;
        host_memory.peak_n = harness.case_n;
        host_memory.peak_input = harness.input;
    }
    return harness.plan;
}

static inline __attribute__((noreturn)) void print_plan(void)
{
    printf("%s: host memory for the largest input: %zu bytes (%s, n = %lld)\n", source_name(harness.file),
           host_memory.peak + UNPLANNED, host_memory.peak_input ? host_memory.peak_input : "none", host_memory.peak_n);
    exit(RIGHT);
}
