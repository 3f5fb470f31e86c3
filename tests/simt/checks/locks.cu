// Locks in shared memory, between lanes of a warp and between warps. test_checks.c reads the comments.
#include <cuda/atomic>
#include "twins.h"
// guilty: race error @add @add | race warning @add @add
// launch: 1 64 0
// sum: 64
TWINS(spin_lock_of_lanes_without_fences, spin_lock_of_lanes)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            if (innocent)
                __threadfence_block();
            sum += 1; // @add
            if (innocent)
                __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// guilty: race error @add @add
// launch: 1 256 0
// sum: 32
TWINS(ticket_lock_without_release, ticket_lock_of_warps)
{
    __shared__ int next, serving, sum;
    if (threadIdx.x == 0)
        next = serving = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < 4; k++) {
            int ticket = atomicAdd(&next, 1);
            while (*(volatile int *)&serving != ticket)
                ;
            __threadfence_block();
            sum += 1; // @add
            if (innocent)
                __threadfence_block();
            *(volatile int *)&serving = ticket + 1;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// A shuffle orders no memory. The whole warp holds the ticket, but its lanes work on different words.
// guilty: race error @add @add
// launch: 1 256 0
TWINS(ticket_lock_for_the_warp_without_meeting, ticket_lock_for_the_warp)
{
    __shared__ int next, serving, sum[32];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        next = serving = 0;
    if (t < 32)
        sum[t] = 0;
    __syncthreads();
    int ticket = 0;
    if (lane == 0) {
        ticket = atomicAdd(&next, 1);
        while (*(volatile int *)&serving != ticket)
            ;
        __threadfence_block();
    }
    if (innocent)
        __syncwarp();
    else
        __shfl_sync(0xffffffff, ticket, 0);
    sum[(lane + t / 32) % 32] += t; // @add
    __syncwarp();
    if (lane == 0) {
        __threadfence_block();
        *(volatile int *)&serving = ticket + 1;
    }
    __syncthreads();
    if (t < 32)
        out[t] = sum[t];
}

// guilty: race error @add @add | race warning @add @add
// launch: 1 64 0
// sum: 64
TWINS(spin_lock_of_the_library_relaxed, spin_lock_of_the_library)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> a(lock);
    const auto acquire = innocent ? cuda::memory_order_acquire : cuda::memory_order_relaxed;
    const auto release = innocent ? cuda::memory_order_release : cuda::memory_order_relaxed;
    for (bool done = false; !done;) {
        int free = 0;
        if (a.compare_exchange_strong(free, 1, acquire)) {
            sum += 1; // @add
            a.store(0, release);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}
