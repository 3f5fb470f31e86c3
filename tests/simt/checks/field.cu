// Typical mistakes, and the same kernels repaired.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include "twins.h"

#pragma nv_diag_suppress 20054 // a barrier in shared memory, as in its manual

namespace cg = cooperative_groups;

// ---- reduction: sums elements past the input

// guilty: init error @add
// launch: 1 64
TWINS(tail_not_filled, tail_filled)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 50)
        s[t] = data[t];
    else if (innocent)
        s[t] = 0;
    __syncthreads();
    for (int o = 32; o > 0; o /= 2) {
        if (t < o)
            s[t] += s[t + o]; // @add
        __syncthreads();
    }
    if (t == 0)
        out[0] = s[0];
}

// ---- tiles: the next one is loaded while the previous one is still being read

// guilty: race error @load @use | race warning @load @use
// launch: 1 64
TWINS(next_tile_too_soon, next_tile_in_time)
{
    __shared__ int s[64];
    int sum = 0;
    for (int k = 0; k < 2; k++) {
        s[threadIdx.x] = data[k * 32 + (threadIdx.x & 31)]; // @load
        __syncthreads();
        sum += s[(threadIdx.x + 17) & 63]; // @use
        if (innocent)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// ---- tiles of a warp: the barrier is smaller than the exchange

// guilty: race warning @put @get
TWINS(half_a_warp_waits, half_a_warp_is_enough)
{
    __shared__ int s[32];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = data[threadIdx.x]; // @put
    tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ (innocent ? 8 : 16)]; // @get
}

// ---- locks

__device__ int lock[2], sum[2]; // of the twins

// guilty: race error @change @change
// launch: 4 32
TWINS(lock_without_fences, lock_with_fences)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock[innocent], 0, 1) != 0)
            ;
        if (innocent)
            __threadfence();
        sum[innocent] += 1; // @change
        if (innocent)
            __threadfence();
        atomicExch(&lock[innocent], 0);
    }
}

// ---- mbarriers

// guilty: race warning @init @arrive
TWINS(mbarrier_not_ready, mbarrier_ready)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, 32); // @init
    if (innocent)
        __syncwarp();
    bar.arrive_and_wait(); // @arrive
    out[threadIdx.x] = 1;
}

// ---- stencils

// guilty: race warning @sweep @sweep | race error @sweep @sweep | race warning @sweep
// launch: 1 64
extern "C" __global__ void jacobi_in_place(int *data, int *out, int n)
{
    int t = threadIdx.x;
    if (t > 0 && t < 63)
        data[t] = data[t - 1] + data[t + 1]; // @sweep
}

// innocent
// launch: 1 64
extern "C" __global__ void red_and_black_in_place(int *data, int *out, int n)
{
    int t = threadIdx.x;
    for (int colour = 0; colour < 2; colour++) {
        if (t > 0 && t < 63 && (t & 1) == colour)
            data[t] = data[t - 1] + data[t + 1];
        __syncthreads();
    }
}

// ---- named barriers: half of the threads never arrive

// guilty: sync error @wait
// launch: 1 64
TWINS(half_of_a_named_barrier, all_of_a_named_barrier)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // @wait
    else if (innocent)
        asm volatile("bar.arrive 1, 64;");
    out[threadIdx.x] = 1;
}
