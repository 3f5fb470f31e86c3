// Kernels for asynchronous copies (cp.async) and mbarriers. test_checks.c reads the comments.
#include <cuda_pipeline.h>
#include "twins.h"

// guilty: init error @read
TWINS(read_before_wait, read_after_wait)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    if (innocent)
        __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x]; // @read
    __pipeline_wait_prior(0);
}

// The wait allows the latest group to continue, and that group is read.
// guilty: init error @read
TWINS(wait_for_too_few, wait_for_the_first)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[32 + threadIdx.x], &data[32 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    out[threadIdx.x] = s[(innocent ? 0 : 32) + threadIdx.x]; // @read
    __pipeline_wait_prior(0);
}

// Each thread has waited for its own copies only.
// guilty: race error @copy @read
// launch: 1 64 0
TWINS(no_barrier_after_wait, barrier_after_wait)
{
    __shared__ int s[64];
    s[threadIdx.x] = n;
    __syncthreads();
    __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4); // @copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (innocent)
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // @read
}

// guilty: memory error @copy
extern "C" __global__ void copy_misaligned(int *data, int *out, int n)
{
    __shared__ int s[80];
    __pipeline_memcpy_async(&s[4 * (threadIdx.x % 8) + 1 - n % 2], &data[4 * (threadIdx.x % 8)], 16); // @copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

__device__ unsigned address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

// Thread 0 initializes it for that many arrivals.
__device__ void start(unsigned long long *bar, unsigned count)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
}

__device__ unsigned long long arrive(unsigned long long *bar)
{
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(bar)) : "memory");
    return state;
}

__device__ void wait(unsigned long long *bar, unsigned long long state)
{
    int done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(address(bar)), "l"(state)
                     : "memory");
}

// guilty: race error @write @read
// launch: 1 64 0
TWINS(mbarrier_not_waited_for, mbarrier_orders)
{
    __shared__ unsigned long long bar;
    __shared__ int s[64];
    start(&bar, 64);
    s[threadIdx.x] = n;
    __syncthreads();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    unsigned long long state = arrive(&bar);
    if (innocent)
        wait(&bar, state);
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // @read
}

// All lanes arrive, all but one wait.
// guilty: race warning @write @read
extern "C" __global__ void mbarrier_not_waited_for_by_a_lane(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    __shared__ int s[32];
    start(&bar, 32);
    __syncthreads();
    s[threadIdx.x] = data[threadIdx.x]; // @write
    unsigned long long state = arrive(&bar);
    if (threadIdx.x != 31)
        wait(&bar, state);
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // @read
}

// innocent
extern "C" __global__ void mbarrier_waited_for_by_all_lanes(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    __shared__ int s[32];
    start(&bar, 32);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        s[threadIdx.x] = data[threadIdx.x] + round;
        unsigned long long state = arrive(&bar);
        if (threadIdx.x != 31)
            wait(&bar, state);
        else
            wait(&bar, state);
        out[threadIdx.x] = s[threadIdx.x ^ 1];
        wait(&bar, arrive(&bar));
    }
}

// Several lanes add to each word, and one reads them without waiting.
// guilty: race warning @add @read
TWINS(mbarrier_not_waited_for_by_the_reader, mbarrier_waited_for_by_the_reader)
{
    __shared__ unsigned long long bar;
    __shared__ int s[4];
    start(&bar, 32);
    if (threadIdx.x < 4)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[threadIdx.x / 8], data[threadIdx.x]); // @add
    unsigned long long state = arrive(&bar);
    if (innocent || threadIdx.x != 0)
        wait(&bar, state);
    if (threadIdx.x == 0)
        out[0] = s[0] + s[1]; // @read
}

// guilty: race warning @write @read
extern "C" __global__ void mbarrier_arrived_at_too_early(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    __shared__ int s[32];
    start(&bar, 32);
    s[threadIdx.x] = n;
    __syncthreads();
    unsigned long long state = arrive(&bar);
    s[threadIdx.x] = data[threadIdx.x]; // @write
    wait(&bar, state);
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // @read
}

// A thread of another warp polls the flag, and nothing orders this thread.
// guilty: race error @write @read
// launch: 1 96 0
extern "C" __global__ void flag_seen_by_another_warp(int *data, int *out, int n)
{
    __shared__ int s[32], flag;
    int t = threadIdx.x, seen = 0;
    if (t == 0)
        flag = 0;
    __syncthreads();
    unsigned word = address(&flag);
    if (t < 32)
        s[t] = data[t]; // @write
    __syncwarp();
    if (t == 0)
        asm volatile("st.release.cta.shared.s32 [%0], 1;" ::"r"(word) : "memory");
    while (t / 32 == 1 && !seen)
        asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(word) : "memory");
    while (t / 32 == 2 && !seen)
        asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(word) : "memory");
    if (t >= 32)
        out[t - 32] = s[t % 32]; // @read
}

// One lane polls the flag and then synchronizes its warp.
// innocent
// launch: 1 64 0
extern "C" __global__ void flag_seen_for_the_warp(int *data, int *out, int n)
{
    __shared__ int s[32], flag;
    int t = threadIdx.x, seen = 0;
    if (t == 0)
        flag = 0;
    __syncthreads();
    unsigned word = address(&flag);
    if (t < 32)
        s[t] = data[t];
    __syncwarp();
    if (t == 0)
        asm volatile("st.release.cta.shared.s32 [%0], 1;" ::"r"(word) : "memory");
    while (t == 32 && !seen)
        asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(word) : "memory");
    __syncwarp();
    if (t >= 32)
        out[t - 32] = s[t - 32];
}

// guilty: sync error @arrive
// launch: 1 64 0
extern "C" __global__ void mbarrier_too_many(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    unsigned long long state;
    start(&bar, 20);
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 30;" : "=l"(state) : "r"(address(&bar)) : "memory"); // @arrive
}

// The arrivals of the first warp are lost. The innocent one invalidates it first.
// guilty: sync error @again
// launch: 1 64 0
TWINS(mbarrier_initialised_in_a_phase, mbarrier_initialised_after_inval)
{
    __shared__ unsigned long long bar;
    start(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32 - !innocent)
        arrive(&bar);
    __syncthreads();
    if (innocent && threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address(&bar)) : "memory");
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address(&bar)) : "memory"); // @again
    __syncthreads();
    wait(&bar, arrive(&bar));
    out[threadIdx.x] = data[threadIdx.x];
}

// Undefined by PTX, but nothing is lost on a device.
// information: sync @again
// launch: 1 64 0
extern "C" __global__ void mbarrier_initialised_between_phases(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    start(&bar, 64);
    __syncthreads();
    wait(&bar, arrive(&bar));
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address(&bar)) : "memory"); // @again
    __syncthreads();
    wait(&bar, arrive(&bar));
    out[threadIdx.x] = data[threadIdx.x];
}

// The word is reused without a phase: data are no mbarrier, in each of two blocks.
// innocent
// launch: 2 64 0
extern "C" __global__ void mbarrier_in_reused_memory(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    start(&bar, 64);
    __syncthreads();
    wait(&bar, arrive(&bar));
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile unsigned long long *)&bar = 7;
    __syncthreads();
    start(&bar, 64);
    __syncthreads();
    wait(&bar, arrive(&bar));
    out[blockIdx.x * 64 + threadIdx.x] = data[threadIdx.x];
}

// guilty: init error @arrive
extern "C" __global__ void mbarrier_not_initialised(int *data, int *out, int n)
{
    __shared__ unsigned long long bar;
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(&bar)) : "memory"); // @arrive
}
