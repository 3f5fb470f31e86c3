// Locks in shared memory, between lanes of a warp and between warps. test_checks.c reads the comments.
#include <cuda/atomic>
// innocent
// launch: 1 64 0
// sum: 64
extern "C" __global__ void spin_lock_of_lanes(int *data, int *out, int n)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            sum += 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// guilty: race error @add @add | race warning @add @add
// launch: 1 64 0
extern "C" __global__ void spin_lock_of_lanes_without_fences(int *data, int *out, int n)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
            sum += 1; // @add
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// innocent
// launch: 1 256 0
// sum: 32
extern "C" __global__ void ticket_lock_of_warps(int *data, int *out, int n)
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
            sum += 1;
            __threadfence_block();
            *(volatile int *)&serving = ticket + 1;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// guilty: race error @add @add
// launch: 1 256 0
extern "C" __global__ void ticket_lock_without_release(int *data, int *out, int n)
{
    __shared__ int next, serving, sum;
    if (threadIdx.x == 0)
        next = serving = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        int ticket = atomicAdd(&next, 1);
        while (*(volatile int *)&serving != ticket)
            ;
        __threadfence_block();
        sum += 1; // @add
        *(volatile int *)&serving = ticket + 1;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// The whole warp holds the ticket; its lanes work on other words.
// innocent
// launch: 1 256 0
extern "C" __global__ void ticket_lock_for_the_warp(int *data, int *out, int n)
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
    __syncwarp();
    sum[(lane + t / 32) % 32] += t;
    __syncwarp();
    if (lane == 0) {
        __threadfence_block();
        *(volatile int *)&serving = ticket + 1;
    }
    __syncthreads();
    if (t < 32)
        out[t] = sum[t];
}

// A shuffle orders no memory.
// guilty: race error @add @add
// launch: 1 256 0
extern "C" __global__ void ticket_lock_for_the_warp_without_meeting(int *data, int *out, int n)
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

// innocent
// launch: 1 64 0
// sum: 64
extern "C" __global__ void spin_lock_of_the_library(int *data, int *out, int n)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> a(lock);
    for (bool done = false; !done;) {
        int free = 0;
        if (a.compare_exchange_strong(free, 1, cuda::memory_order_acquire)) {
            sum += 1;
            a.store(0, cuda::memory_order_release);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// guilty: race error @add @add | race warning @add @add
// launch: 1 64 0
extern "C" __global__ void spin_lock_of_the_library_relaxed(int *data, int *out, int n)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> a(lock);
    for (bool done = false; !done;) {
        int free = 0;
        if (a.compare_exchange_strong(free, 1, cuda::memory_order_relaxed)) {
            sum += 1; // @add
            a.store(0, cuda::memory_order_relaxed);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}
