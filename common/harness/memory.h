// memory.h: host memory, within the case's plan, and device memory, filled with poison.
#pragma once

#include "harness/plan.h"
#include "harness/state.h"
#include "harness/verdict.h"
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// Half of the computer's memory, but no more than the program's memory limit.
static inline size_t host_memory_limit(void)
{
    struct rlimit limit;
    size_t half = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
    return getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur < half ? (size_t)limit.rlim_cur : half;
}

#define LARGE_PAGE ((size_t)2 << 20) // bytes
#define MAPPED (32 << 20)            // bytes of an array with its own pages: malloc's maximum

// Arrays that a case frees are reused by the next one, since each page returned to the system would cost a fault.
static inline void cache_freed(void)
{
    static int done;
    if (done++ == 0) {
        mallopt(M_MMAP_THRESHOLD, MAPPED);
        mallopt(M_TRIM_THRESHOLD, INT_MAX);
    }
}

// As malloc. A long array gets large pages if available: its first touch then costs a tenth.
static inline void *host_pages(size_t bytes)
{
    const uintptr_t page = 4096;
    cache_freed();
    char *p = (char *)malloc(bytes ? bytes : 1);
    size_t skip = -(uintptr_t)p % page;
    if (p && bytes >= LARGE_PAGE)
        madvise(p + skip, bytes - skip, MADV_HUGEPAGE);
    return p;
}

// Host memory, or the program ends; a request for more than the machine has is refused before it swaps.
static inline void *host_alloc(size_t bytes)
{
    void *p = bytes < host_memory_limit() ? host_pages(bytes) : NULL;
    if (!p)
        fail(BROKEN, "out of memory: %.3f GB of host memory are needed; take a smaller --n", (double)bytes / 1e9);
    host_memory.now += malloc_usable_size(p);
    if (host_memory.most > 0 && host_memory.now > host_memory.most + UNPLANNED + (1 << 20))
        fail(BROKEN, "the driver takes %zu bytes of host memory for this case, but has planned %zu", host_memory.now,
             host_memory.most);
    return p;
}

static inline void host_free(void *p)
{
    host_memory.now -= p ? malloc_usable_size(p) : 0;
    free(p);
}

// Whether the device and the host have enough memory for the case.
static inline bool fits(size_t device_bytes, size_t host_bytes)
{
    void *p = NULL;
    if (harness.plan)
        return true;
    if (host_bytes + UNPLANNED > host_memory_limit())
        return false;
    if (cudaMalloc(&p, device_bytes) != cudaSuccess)
        return cudaGetLastError() == cudaSuccess; // clears the error and returns 0
    check_cuda(cudaFree(p));
    return true;
}

#define MAX_ARRAYS 12

// At the largest n arrays hold zeros: large ones from the start, since they are sparse.
static struct {
    int on, count;
    struct simt_range at[MAX_ARRAYS];
} zeros;

static int poisons_sparse; // sparse memory must be filled, too

static inline void fill_with_zeros(void *p, size_t bytes)
{
    struct simt_range all = {p, bytes};
    check_cuda(cudaMemset(p, 0, bytes));
    if (zeros.count < MAX_ARRAYS)
        zeros.at[zeros.count++] = all;
}

// As cudaMalloc; a case whose arrays have fixed places gets the addresses of the previous case.
static inline cudaError_t alloc_placed(void **p, size_t bytes)
{
    if (simt_place && harness.place > 0) {
        simt_place(harness.place <= harness.moved ? MOST_PLACES + harness.place : harness.place);
        harness.place++;
    }
    cudaError_t error = cudaMalloc(p, bytes);
    if (simt_place)
        simt_place(0);
    return error;
}

// Device memory of exactly this size, so that checkers see its end, filled with poison. The checkers do not see this
// fill, so the memory still counts as never written.
static inline void *device_alloc(size_t bytes)
{
    void *p = NULL;
    cudaError_t error = alloc_placed(&p, bytes);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        fail(SKIPPED, "skipped: no GPU here; linked with libsimt.a this runs without one");
    if (error == cudaErrorMemoryAllocation)
        fail(BROKEN, "out of memory: %.3f GB of device memory are needed; take a smaller --n", (double)bytes / 1e9);
    check_cuda(error);
    if (zeros.on && bytes > 0)
        fill_with_zeros(p, bytes);
    else if (simt_poison && bytes > 0 && !poisons_sparse)
        simt_poison(p, POISON, bytes);
    else
        check_cuda(cudaMemset(p, POISON, bytes));
    return p;
}

// A copy of the host's bytes that begins skip bytes after an aligned address, the start of the allocation.
static inline void *device_copy(const void *from, size_t bytes, size_t skip)
{
    char *p = (char *)device_alloc(skip + bytes) + skip;
    check_cuda(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    return p;
}
