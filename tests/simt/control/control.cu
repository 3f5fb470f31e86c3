// Kernels for test_control.c: control flow, progress of lanes that wait for others, barriers.
#include "functions.h"

// out[f * n + i] = function f of thread i. The number of the function is the same for all threads, or differs.
extern "C" __global__ void control(int *out, int n, int seed, int mixed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int f = 0; f < FUNCTIONS; f++) {
        int g = mixed ? (f + i) % FUNCTIONS : f;
        out[g * n + i] = functions[g](i, seed + i * 37);
    }
}

// Threads leave a loop one after another by ending.
extern "C" __global__ void exit_in_a_loop(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0;; turn++) {
        out[i] = turn;
        if (turn >= i % 13)
            return;
        if (turn % 4 == 3)
            out[i] += 100;
    }
}

// ---- progress

__device__ int lock, counter, turn;

// Every thread takes one lock and adds 1.
extern "C" __global__ void spin_lock(int *out, int n)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            counter = counter + 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

// The same, written so that the loser stays in an inner loop.
extern "C" __global__ void spin_lock_inner(int *out, int n)
{
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    counter = counter + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

// Each thread waits until the previous thread in the grid has finished.
extern "C" __global__ void wait_for_the_one_before(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (atomicAdd(&turn, 0) != i)
        ;
    out[i] = i * 3;
    atomicExch(&turn, i + 1);
}

// In reverse within the block: the first lanes wait for the last.
extern "C" __global__ void wait_for_the_one_behind(int *out, int n)
{
    int i = blockDim.x - 1 - threadIdx.x;
    while (atomicAdd(&turn, 0) != i)
        ;
    out[threadIdx.x] = i;
    atomicExch(&turn, i + 1);
}

__device__ unsigned ticket;
__device__ volatile int passed[256];

// Each block waits for an earlier ticket.
extern "C" __global__ void earlier_ticket(int *out, int n)
{
    __shared__ unsigned mine;
    if (threadIdx.x == 0) {
        mine = atomicAdd(&ticket, 1);
        int before = 0;
        if (mine > 0)
            while ((before = passed[mine - 1]) == 0)
                ;
        passed[mine] = before + 1;
    }
    __syncthreads();
    if (threadIdx.x == 31)
        out[mine] = mine;
}

// ---- barriers

// A tree sum in a loop that each warp leaves at a different instruction.
extern "C" __global__ void barriers_in_loops(int *out, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t * t % 101;
    __syncthreads();
    if (t / 32 % 2)
        for (int d = 128; d > 0; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
    else
        for (int d = 128; d > 0; d >>= 1) {
            int v = t < d ? s[t + d] : 0;
            if (v)
                s[t] += v;
            __syncthreads();
        }
    out[blockIdx.x * 256 + t] = s[0];
}

// Lanes diverge before every barrier of a loop.
extern "C" __global__ void split_ahead_of_barriers(int *out, int n)
{
    __shared__ int s[2][96];
    int t = threadIdx.x, x = t;
    for (int round = 0; round < 20; round++) {
        int *now = s[round % 2];
        if ((t + round) % 3 == 0) {
            for (int k = 0; k < t % 5; k++)
                x = x * 5 + k;
        } else if (t % 2)
            x ^= round;
        now[t] = x;
        __syncthreads();
        x += now[(t + 33) % 96] & 1023;
    }
    out[blockIdx.x * 96 + t] = x;
}

extern "C" __global__ void named_barriers(int *out, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x, pair = t / 64;
    for (int round = 0; round < 4; round++) {
        s[t] = t + round;
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        int v = s[pair * 64 + (t + 17) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
        out[t] = round ? out[t] + v : v;
    }
}

extern "C" __global__ void barrier_reductions(int *out, int n)
{
    int t = threadIdx.x;
    out[t * 3] = __syncthreads_count(t % 3 == 0);
    out[t * 3 + 1] = __syncthreads_and(t < 100) + 2 * __syncthreads_and(t < 96);
    out[t * 3 + 2] = __syncthreads_or(t == 95) + 2 * __syncthreads_or(t == 96);
}

// Lanes reach a __syncwarp on several paths; a warp vote in a loop counts them down.
extern "C" __global__ void warp_meetings(int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, lane = t % 32, rounds = 0, left = lane % 7;
    s[t] = lane;
    for (;;) {
        int v = 0;
        if (lane % 4 == 0)
            v = left * 2;
        else if (lane % 4 == 1)
            v = left + 1;
        __syncwarp();
        s[t] += v & 1;
        rounds++;
        if (!__any_sync(0xffffffff, left > 0))
            break;
        left -= left > 0;
    }
    out[t] = rounds * 1000 + s[t];
}

__device__ __noinline__ int twice(int v)
{
    return 2 * v;
}

__device__ __noinline__ int negated(int v)
{
    return -v;
}

__device__ int (*const ways[])(int) = {twice, negated};

// Code right before lanes call different functions runs once.
extern "C" __global__ void called_apart(int *out, int n)
{
    __shared__ int before[64];
    int t = threadIdx.x, *mine = &before[t];
    *mine = 0;
    __syncthreads();
    int (*way)(int) = ways[(t & 3) == 1];
    int old = atomicAdd(mine, t + 1) + t;
    out[t] = way(old);
    out[t + 64] = *mine;
}

// The hardware's place for the warp, and the number of places.
extern "C" __global__ void places(int *out, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(out[i]));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(out[i + 1]));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(out[i + 2]));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(out[i + 3]));
}
