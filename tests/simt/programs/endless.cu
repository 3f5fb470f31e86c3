// Kernels that cannot end, one of which the argument names; without an argument, similar kernels that end.
#include <cstring>
#include <ctime>

#include "program.h"

#define THREADS 64
#define LONG 8000000u // steps: some tenths of a second

static __device__ unsigned mix(unsigned x)
{
    return x * 1664525u + 1013904223u + (x >> 3);
}

// ---- without an end

__global__ void no_way_out(int *out)
{
    for (int i = 0;; i++) {
        __syncthreads();
        out[threadIdx.x] = i;
    }
}

// With n = 2 and more the middle is never the right end: left does not change.
__global__ void search(const int *sorted, int n, int key, int *out)
{
    int left = 0, right = n;
    while (left < right) {
        int middle = (left + right) / 2;
        if (sorted[middle] < key)
            left = middle;
        else
            right = middle;
    }
    out[threadIdx.x] = left;
}

__global__ void set_back(int *out)
{
    for (volatile int i = 0; i < 1; i = 0)
        ;
    out[threadIdx.x] = 1;
}

__global__ void by_step(int n, int step, int *out)
{
    for (int i = threadIdx.x; i < n; i += step)
        out[i] = i;
}

// Only lane 3 never leaves the loop, and the other lanes of its warp wait for it.
__global__ void one_lane(int lane, int *out)
{
    volatile int mine = threadIdx.x;
    while (mine == lane)
        ;
    __syncwarp();
    out[threadIdx.x] = mine;
}

// The flag is never set; the other warp waits at the barrier.
__global__ void flag_in_shared(int *out)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        while (flag == 0)
            ;
    __syncthreads();
    out[threadIdx.x] = flag;
}

// last is 0, so the stride stays 0, too.
__global__ void halves(int last, int *out)
{
    __shared__ int cache[THREADS];
    int t = threadIdx.x;
    cache[t] = t;
    __syncthreads();
    for (int stride = THREADS / 2; stride >= last; stride /= 2) {
        if (t < stride)
            cache[t] += cache[t + stride];
        __syncthreads();
    }
    out[t] = cache[0];
}

// The thread that holds the lock never releases it.
__global__ void lock(int *out)
{
    __shared__ int taken;
    if (threadIdx.x == 0)
        taken = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(&taken, 0, 1))
            ;
    __syncthreads();
    out[threadIdx.x] = taken;
}

static __device__ volatile int flags[4096];

// Each block waits for the next one, and there are more blocks than a device holds.
__global__ void next_block(int *out)
{
    while (blockIdx.x + 1 < gridDim.x && flags[blockIdx.x + 1] == 0)
        ;
    __threadfence();
    flags[blockIdx.x] = 1;
    out[threadIdx.x] = 1;
}

// Half of the blocks wait for a flag that is never set.
__global__ void no_flag(int *out)
{
    while (blockIdx.x % 2 && flags[4095] == 0)
        __nanosleep(100);
    if (blockIdx.x == 0)
        out[threadIdx.x] = 1;
}

// Lane 0 takes the lock and waits at the barrier for its warp, which tries to take it.
__global__ void barrier_in_lock(int *taken, int *out)
{
    while (atomicCAS(taken, 0, 1))
        ;
    __syncthreads();
    atomicExch(taken, 0);
    out[threadIdx.x] = 1;
}

// Each round stores the value that memory already holds.
__global__ void store_again(volatile int *state, int *out)
{
    while (flags[4095] == 0)
        state[threadIdx.x] = 7;
    out[threadIdx.x] = 1;
}

// The maximum does not change.
__global__ void atomic_max(int *most, int *out)
{
    while (atomicMax(most, 1) < 2)
        __nanosleep(20);
    out[threadIdx.x] = 1;
}

static __device__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// With a backoff, as in libcu++; the clock determines how long it sleeps, or, with a limit, how long it waits.
static __device__ bool wait_for(volatile int *flag, long long limit)
{
    long long begin = now();
    int tries = 0;
    while (*flag == 0) {
        if (tries < 16) {
            tries++;
            continue;
        }
        long long waited = now() - begin;
        if (limit && waited > limit)
            return false;
        if (waited > 4000000)
            __nanosleep(1000000);
        else if (waited > 40000)
            __nanosleep((unsigned)(waited / 4));
    }
    return true;
}

__global__ void backoff(int *flag, int *out)
{
    out[threadIdx.x] = wait_for(flag, 0);
}

// ---- kernels that end, though no block does for a long time

// The polled flag never changes, and the thread stops waiting after `limit`.
__global__ void until_late(int *flag, long long limit, int *out)
{
    out[threadIdx.x] = wait_for(flag, limit);
}

// Every thread takes the lock once.
__global__ void locks(int *taken, unsigned *sum)
{
    for (bool done = false; !done;)
        if (atomicCAS(taken, 0, 1) == 0) {
            __threadfence();
            unsigned x = *sum;
            for (int i = 0; i < 10000; i++)
                x = mix(x);
            *sum = x;
            __threadfence();
            atomicExch(taken, 0);
            done = true;
        }
}

__global__ void long_sum(unsigned steps, unsigned *out)
{
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < steps; i++)
        x = mix(x);
    out[threadIdx.x] = x;
}

// The second warp sets the first one's flag late.
__global__ void late_flag(unsigned steps, unsigned *out)
{
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0)
            ;
        return;
    }
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < steps; i++)
        x = mix(x);
    out[threadIdx.x] = x;
    if (threadIdx.x == 32)
        flag = 1;
}

// The same between blocks.
__global__ void late_block(unsigned steps, volatile unsigned *flag, unsigned *out)
{
    if (blockIdx.x == 0) {
        while (*flag == 0)
            ;
        return;
    }
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < steps; i++)
        x = mix(x);
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        *flag = 1;
}

// A loop with barriers ends once its count is zero.
__global__ void many_meetings(int steps, unsigned *out)
{
    __shared__ int left;
    if (threadIdx.x == 0)
        left = steps;
    __syncthreads();
    while (left > 0) {
        __syncthreads();
        if (threadIdx.x == 0)
            left--;
        __syncthreads();
    }
    out[threadIdx.x] = left;
}

// Returns to most of its state: only i advances.
__global__ void nearly_the_same(unsigned steps, unsigned *out)
{
    volatile unsigned i = 0, turns = 0;
    while (i < steps) {
        turns = 0;
        i = i + 1;
    }
    out[threadIdx.x] = i + turns;
}

// Its blocks take tickets, so under an estimate they run one after another, and most of them wait for long.
__global__ void count_shares(unsigned steps, unsigned *ticket, unsigned *out)
{
    __shared__ unsigned share[32];
    unsigned x = threadIdx.x;
    if (threadIdx.x < 32)
        share[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 0; i < steps; i++) {
        x = mix(x);
        atomicAdd(&share[x % 32], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(ticket, 1) == gridDim.x - 1)
        out[0] = share[0];
}

// One block with work for several: now and then it stores a word, `apart` words from the previous one.
__global__ void one_for_all(unsigned steps, int pieces, int apart, unsigned *out)
{
    unsigned x = threadIdx.x;
    for (int piece = 0; piece < pieces; piece++) {
        for (unsigned i = 0; i < steps; i++)
            x = mix(x);
        if (threadIdx.x == 0)
            out[piece * apart] = x;
    }
}

// Blocks that take a tenth of a second each, for the line about a long launch's progress.
__global__ void slow_blocks(unsigned n, unsigned *out)
{
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < n; i++)
        x = x * 1664525 + (x >> 16) + 1013904223;
    out[threadIdx.x] = x;
}

#define PIECES 32

static void run_one_for_all(int apart)
{
    unsigned *out;
    CUDA(cudaMalloc(&out, (PIECES * apart + 1) * sizeof *out));
    one_for_all<<<1, 32>>>(LONG, PIECES, apart, out);
    printf("one_for_all: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    CUDA(cudaFree(out));
}

static void run_long(unsigned *out)
{
    long_sum<<<1, THREADS>>>(LONG, out);
    late_flag<<<1, THREADS>>>(LONG, out);
    CUDA(cudaDeviceSynchronize());
    out[THREADS] = 0;
    late_block<<<2, THREADS>>>(LONG, out + THREADS, out);
    many_meetings<<<1, THREADS>>>(LONG / 64, out);
    out[THREADS] = 0;
    count_shares<<<2 * THREADS, THREADS>>>(LONG / 2048, out + THREADS, out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[THREADS] == 2 * THREADS);
    out[THREADS] = 0;
    until_late<<<1, THREADS>>>((int *)out + THREADS, 300000000, (int *)out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == 0);
    locks<<<4, THREADS>>>((int *)out + THREADS, out);
    nearly_the_same<<<1, 32>>>(LONG / 8, out);
    CUDA(cudaDeviceSynchronize());
    EXPECT(out[0] == LONG / 8);
}

// 16 blocks that together take 1.6 CPU seconds on any computer, whose speed is measured first.
static void run_slow_blocks(unsigned *out)
{
    const unsigned n = LONG / 8;
    clock_t begin = clock();
    slow_blocks<<<1, 32>>>(n, out);
    CUDA(cudaDeviceSynchronize());
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    slow_blocks<<<16, 32>>>((unsigned)(n * (0.2 / (seconds > 1e-4 ? seconds : 1e-4))), out);
}

static void run_endless(const char *which, int *out)
{
    if (!strcmp(which, "no_way_out"))
        no_way_out<<<2, THREADS>>>(out);
    else if (!strcmp(which, "search"))
        search<<<1, THREADS>>>(out + THREADS, 100, 1, out);
    else if (!strcmp(which, "set_back"))
        set_back<<<1, THREADS>>>(out);
    else if (!strcmp(which, "by_step"))
        by_step<<<1, THREADS>>>(2 * THREADS, 0, out);
    else if (!strcmp(which, "one_lane"))
        one_lane<<<1, THREADS>>>(3, out);
    else if (!strcmp(which, "flag_in_shared"))
        flag_in_shared<<<1, THREADS>>>(out);
    else if (!strcmp(which, "halves"))
        halves<<<1, THREADS>>>(0, out);
    else if (!strcmp(which, "next_block"))
        next_block<<<4000, 1024>>>(out);
    else if (!strcmp(which, "no_flag"))
        no_flag<<<40, THREADS>>>(out);
    else if (!strcmp(which, "lock"))
        lock<<<1, THREADS>>>(out);
    else if (!strcmp(which, "barrier_in_lock"))
        barrier_in_lock<<<1, THREADS>>>(out + THREADS, out);
    else if (!strcmp(which, "store_again"))
        store_again<<<2, THREADS>>>(out + THREADS, out);
    else if (!strcmp(which, "atomic_max"))
        atomic_max<<<2, THREADS>>>(out + THREADS, out);
    else if (!strcmp(which, "backoff"))
        backoff<<<2, THREADS>>>(out + THREADS, out);
    else if (!strcmp(which, "until_late")) { // it ends
        until_late<<<1, THREADS>>>(out + THREADS, 300000000, out);
        locks<<<4, THREADS>>>(out + THREADS, (unsigned *)out);
    } else if (!strcmp(which, "late_block")) // it ends
        late_block<<<2, THREADS>>>(LONG / 8, (unsigned *)out + THREADS, (unsigned *)out);
    else if (!strcmp(which, "new_pages")) // they end, too, and only one of them within SIMT_TIMEOUT=1
        run_one_for_all(1024);
    else if (!strcmp(which, "old_pages"))
        run_one_for_all(0);
    else if (!strcmp(which, "slow_blocks"))
        run_slow_blocks((unsigned *)out);
    printf("%s: %s\n", which, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main(int count, char **args)
{
    unsigned *out;
    if (count > 1) { // a host that shares memory with kernels might set a flag
        CUDA(cudaMalloc(&out, 1024 * sizeof *out));
        CUDA(cudaMemset(out, 0, 1024 * sizeof *out));
    } else {
        out = managed<unsigned>(4 * THREADS);
    }
    if (count > 1)
        run_endless(args[1], (int *)out);
    else
        run_long(out);
    CUDA(count > 1 ? cudaSuccess : cudaFree(out));
    return finish();
}
