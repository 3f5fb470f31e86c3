// room.h: how much memory the cases take. For harness.h.
//
// A driver names the host memory that a case takes at its peak when it begins: `if (planned(bytes)) return;`. With
// --plan nothing runs, and the program prints the largest of these: linked with the real runtime, also where no GPU is,
// those of the inputs for a GPU. The runner's limit is held against it (tests/harness/plan.sh). Otherwise host_alloc
// holds the case to what was named.
#ifndef ROOM_H
#define ROOM_H

#include "harness.h"
#include <malloc.h>
#include <sys/resource.h>

static const size_t COMPARED_AT_ONCE = 64 << 20; // bytes of a large input

static struct {
    size_t most, now, peak; // bytes: named by the case at work; allocated; the largest of most
    long long peak_n;
    const char *peak_input;
} host_memory;

// The case at work takes so many bytes of host memory at its peak, beside small change. True: with --plan; do not run
// it.
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
           host_memory.peak + COMPARED_AT_ONCE, host_memory.peak_input ? host_memory.peak_input : "none",
           host_memory.peak_n);
    exit(RIGHT);
}

// Half of the computer's memory, and not more than the limit under which the program runs.
static inline size_t host_room(void)
{
    struct rlimit limit;
    size_t half = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
    return getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur < half ? (size_t)limit.rlim_cur : half;
}

// Host memory, or the end; asking for more than the machine has is refused before it swaps.
static inline void *host_alloc(size_t bytes)
{
    void *p = bytes < host_room() ? malloc(bytes ? bytes : 1) : NULL;
    if (!p)
        fail(BROKEN, "out of memory: %.3f GB asked of the host; take a smaller --n", (double)bytes / 1e9);
    host_memory.now += malloc_usable_size(p);
    if (host_memory.most > 0 && host_memory.now > host_memory.most + COMPARED_AT_ONCE + (1 << 20))
        fail(BROKEN, "the driver takes %zu bytes of host memory for this case, but has planned %zu", host_memory.now,
             host_memory.most);
    return p;
}

static inline void host_free(void *p)
{
    host_memory.now -= p ? malloc_usable_size(p) : 0;
    free(p);
}

// Is there room for a case that takes so much of the device and of the host?
static inline int fits(size_t device_bytes, size_t host_bytes)
{
    void *p = NULL;
    if (harness.plan)
        return 1;
    if (host_bytes + COMPARED_AT_ONCE > host_room())
        return 0;
    if (cudaMalloc(&p, device_bytes) != cudaSuccess)
        return cudaGetLastError() == cudaSuccess; // takes the error away: 0
    check_cuda(cudaFree(p));
    return 1;
}
#endif
