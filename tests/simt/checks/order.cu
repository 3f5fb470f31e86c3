// Memory order among strong accesses: what volatile and relaxed accesses do not promise, and how programs get it right.
// test_checks.c reads the comments.
// launch: 2 32
#include "twins.h"

#define BLOCK_0 (threadIdx.x == 0 && blockIdx.x == 0)
#define BLOCK_1 (threadIdx.x == 0 && blockIdx.x == 1)

typedef unsigned long long word64;

// ---- torn words: strong accesses that overlap only in part

__device__ word64 halves_1;

// guilty: race error @low @whole | race error @high @whole
extern "C" __global__ void word_written_in_halves(int *data, int *out, int n)
{
    volatile unsigned *half = (volatile unsigned *)&halves_1;
    word64 seen;
    if (BLOCK_0) {
        half[0] = 7; // @low
        half[1] = 1; // @high
    } else if (BLOCK_1) {
        do
            seen = *(volatile word64 *)&halves_1; // @whole
        while (seen >> 32 == 0);
        out[0] = (int)seen;
    }
}

__device__ word64 whole_1;

// innocent
// sum: 7
extern "C" __global__ void word_written_whole(int *data, int *out, int n)
{
    word64 seen;
    if (BLOCK_0)
        *(volatile word64 *)&whole_1 = 1ull << 32 | 7;
    else if (BLOCK_1) {
        do
            seen = *(volatile word64 *)&whole_1;
        while (seen >> 32 == 0);
        out[0] = (int)seen;
    }
}

__device__ word64 halves_2;

// guilty: race error @add @whole
extern "C" __global__ void atomic_on_half_a_word(int *data, int *out, int n)
{
    if (BLOCK_0)
        atomicAdd((unsigned *)&halves_2 + 1, 1); // @add
    else if (BLOCK_1)
        while (*(volatile word64 *)&halves_2 >> 32 == 0) // @whole
            ;
}

__device__ uint2 pair_1;

// A vector is two accesses, each of half the bytes.
// guilty: race error @whole @pair
extern "C" __global__ void pair_beside_a_word(int *data, int *out, int n)
{
    unsigned low, high;
    if (BLOCK_0)
        *(volatile word64 *)&pair_1 = 1ull << 32; // @whole
    else if (BLOCK_1)
        do
            asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];"
                         : "=r"(low), "=r"(high)
                         : "l"(&pair_1) // @pair
                         : "memory");
        while (high == 0);
}

// guilty: race error @byte @word
// launch: 1 64
extern "C" __global__ void flag_read_by_a_byte(int *data, int *out, int n)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        flag = 1; // @word
    if (threadIdx.x == 0)
        while (*(volatile unsigned char *)&flag == 0) // @byte
            ;
}

// ---- data passed on

__device__ volatile int sum_1, flag_1, sum_2[2], flag_2[2]; // the twins have separate ones

// guilty: race error @sum @read
extern "C" __global__ void volatile_data_without_fence(int *data, int *out, int n)
{
    if (BLOCK_0) {
        sum_1 = 7; // @sum
        flag_1 = 1;
    } else if (BLOCK_1) {
        while (flag_1 == 0)
            ;
        out[0] = sum_1; // @read
    }
}

// guilty: race error @sum @read
// sum: 7
TWINS(volatile_data_fenced_for_the_block, volatile_data_fenced)
{
    if (BLOCK_0) {
        sum_2[innocent] = 7; // @sum
        if (innocent)
            __threadfence();
        else
            __threadfence_block();
        flag_2[innocent] = 1;
    } else if (BLOCK_1) {
        while (flag_2[innocent] == 0)
            ;
        __threadfence();
        out[0] = sum_2[innocent]; // @read
    }
}

__device__ int relaxed_sum[2], relaxed_flag[2];

#define PUT(to, v) asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(to), "r"(v) : "memory")
#define GET(v, from) asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(from) : "memory")

// guilty: race error @sum @read
// sum: 7
TWINS(relaxed_data_without_fence, relaxed_data_fenced)
{
    int seen = 0;
    if (BLOCK_0) {
        PUT(&relaxed_sum[innocent], 7); // @sum
        if (innocent)
            __threadfence();
        PUT(&relaxed_flag[innocent], 1);
    } else if (BLOCK_1) {
        while (seen == 0)
            GET(seen, &relaxed_flag[innocent]);
        if (innocent)
            __threadfence();
        GET(out[0], &relaxed_sum[innocent]); // @read
    }
}

__device__ int counter;

// No flag announced the counter, so an old value is acceptable.
// innocent
extern "C" __global__ void relaxed_statistics(int *data, int *out, int n)
{
    if (blockIdx.x == 0)
        atomicAdd(&counter, 1);
    else
        GET(out[threadIdx.x], &counter);
}

// ---- two writes

__device__ int lock_1, lock_2;

// guilty: race error @locked @free
extern "C" __global__ void volatile_write_beside_the_lock(int *data, int *out, int n)
{
    volatile int *word = data;
    if (BLOCK_0) {
        while (atomicCAS(&lock_1, 0, 1) != 0)
            ;
        __threadfence();
        word[0] = 101; // @locked
        __threadfence();
        atomicExch(&lock_1, 0);
    } else if (BLOCK_1)
        word[0] = 102; // @free
}

// innocent
// launch: 4 32
extern "C" __global__ void volatile_writes_under_a_lock(int *data, int *out, int n)
{
    volatile int *word = data, *lock = &lock_2;
    if (threadIdx.x)
        return;
    while (atomicCAS(&lock_2, 0, 1) != 0)
        ;
    __threadfence();
    word[0] = 101 + blockIdx.x;
    __threadfence();
    *lock = 0;
}

__device__ volatile int turn;

// Each waits for the other's value, and then writes the next one.
// innocent
extern "C" __global__ void flag_of_two_writers(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    for (int k = blockIdx.x; k < 8; k += 2) {
        while (turn != k)
            ;
        turn = k + 1;
    }
}

// guilty: race error @first @second
extern "C" __global__ void atomics_of_the_block(int *data, int *out, int n)
{
    if (BLOCK_0)
        atomicAdd_block(&data[0], 1); // @first
    else if (BLOCK_1)
        atomicAdd_block(&data[0], 2); // @second
}

// innocent
// launch: 2 64
extern "C" __global__ void atomics_of_each_block(int *data, int *out, int n)
{
    if (threadIdx.x % 32 == 0)
        atomicAdd_block(&data[blockIdx.x], 1);
}

// ---- within a warp

// innocent
// sum: 7
// launch: 1 32
extern "C" __global__ void flag_between_lanes(int *data, int *out, int n)
{
    volatile int *flag = data;
    if (threadIdx.x == 0) {
        flag[0] = 0;
        data[1] = 7;
        __threadfence();
        flag[0] = 1;
    } else if (threadIdx.x == 1) {
        while (flag[0] != 1)
            ;
        __threadfence();
        out[0] = data[1];
    }
}

// A comparison that is not repeated is not a wait.
// guilty: race warning @test @write | race warning @write @write
// launch: 1 32
extern "C" __global__ void volatile_maximum_in_a_warp(int *data, int *out, int n)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    s[t + 32] = -1;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2)
        if (s[t] < s[t + d]) // @test
            s[t] = s[t + d]; // @write
    out[t] = s[t];
}

__device__ unsigned arrived_late;
__device__ unsigned volatile turns_late;

// A grid barrier that reads the current generation and arrives without a fence: the generation may be read after the
// arrival. (The innocent twin is grid_barrier_by_hand of silent.cu.)
// guilty: race error @turn @next
// launch: 3 32
extern "C" __global__ void turn_read_without_a_fence(int *data, int *out, int n)
{
    if (threadIdx.x > 0)
        return;
    unsigned turn = turns_late; // @turn
    if (atomicAdd(&arrived_late, 1) == gridDim.x - 1)
        turns_late = turn + 1; // @next
    else
        while (turns_late == turn)
            ;
    out[blockIdx.x] = (int)turn;
}

// ---- locks, and block-scope fences

__device__ int lock_3, lock_4, lock_5;

// Block 0 may write before it holds the lock, whichever block comes first.
// guilty: race error @early @late
extern "C" __global__ void lock_taken_without_a_fence(int *data, int *out, int n)
{
    volatile int *word = data;
    if (threadIdx.x)
        return;
    while (atomicCAS(&lock_3, 0, 1) != 0)
        ;
    if (blockIdx.x == 0)
        word[0] = 101; // @early
    __threadfence();
    if (blockIdx.x == 1)
        word[0] = 102; // @late
    __threadfence();
    atomicExch(&lock_3, 0);
}

// guilty: race error @write @write
extern "C" __global__ void lock_taken_with_a_fence_of_the_block(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    while (atomicExch(&lock_4, 1) != 0)
        ;
    if (blockIdx.x == 0)
        __threadfence_block();
    else
        __threadfence();
    data[0] = 101 + (int)blockIdx.x; // @write
    __threadfence();
    atomicExch(&lock_4, 0);
}

__device__ int filled_1;

// A thread's accesses before it takes the lock need no fence after taking it, nor do accesses to its own words.
// innocent
// sum: 7
extern "C" __global__ void written_before_the_lock(int *data, int *out, int n)
{
    if (BLOCK_0) {
        data[0] = 7;
        while (atomicCAS(&lock_5, 0, 1) != 0)
            ;
        data[1] = 1;
        __threadfence();
        filled_1 = 1;
        __threadfence();
        atomicExch(&lock_5, 0);
    } else if (BLOCK_1) {
        int filled;
        do {
            while (atomicCAS(&lock_5, 0, 1) != 0)
                ;
            __threadfence();
            filled = filled_1;
            __threadfence();
            atomicExch(&lock_5, 0);
        } while (!filled);
        out[0] = data[0];
    }
}

__device__ int slot;

// The restored value is not the one that was found: a thread that waits for it comes later in every order.
// innocent
// sum: 7
extern "C" __global__ void slot_is_filled(int *data, int *out, int n)
{
    if (BLOCK_0) {
        while (atomicCAS(&slot, 0, 1) != 0)
            ;
        data[0] = 7;
        __threadfence();
        atomicExch(&slot, 2);
    } else if (BLOCK_1) {
        while (atomicCAS(&slot, 2, 3) != 2)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

__device__ int step_1, step_2;

// A block-scope fence acquires only what its own block has released.
// guilty: race error @sent @read
extern "C" __global__ void flag_read_with_a_fence_of_the_block(int *data, int *out, int n)
{
    if (BLOCK_0) {
        data[0] = 7; // @sent
        __threadfence();
        atomicExch(&step_1, 1);
    } else if (BLOCK_1) {
        while (atomicAdd(&step_1, 0) != 1)
            ;
        __threadfence_block();
        out[0] = data[0]; // @read
    }
}

// One warp releases data to its block, and another one releases them to all.
// innocent
// sum: 7
// launch: 2 64
extern "C" __global__ void handed_on_by_the_block(int *data, int *out, int n)
{
    if (BLOCK_0) {
        data[0] = 7;
        __threadfence_block();
        atomicExch(&step_2, 1);
    } else if (blockIdx.x == 0 && threadIdx.x == 32) {
        while (atomicAdd(&step_2, 0) != 1)
            ;
        __threadfence();
        atomicExch(&step_2, 2);
    } else if (BLOCK_1) {
        while (atomicAdd(&step_2, 0) != 2)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

__device__ int word_2;

// guilty: race error @stored @exchanged
extern "C" __global__ void exchange_beside_a_volatile_write(int *data, int *out, int n)
{
    if (BLOCK_0)
        *(volatile int *)&word_2 = 1; // @stored
    else if (BLOCK_1)
        atomicExch(&word_2, 2); // @exchanged
}

__device__ int word_3;

// A thread that has read the other's write may write next.
// innocent
extern "C" __global__ void exchange_behind_a_volatile_write(int *data, int *out, int n)
{
    if (BLOCK_0)
        *(volatile int *)&word_3 = 1;
    else if (BLOCK_1) {
        while (atomicAdd(&word_3, 0) != 1)
            ;
        atomicExch(&word_3, 2);
    }
}

__device__ int lock_6;

// innocent
// launch: 4 32
extern "C" __global__ void lock_given_back_by_a_volatile_write(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    while (atomicExch(&lock_6, 1) != 0)
        ;
    __threadfence();
    data[0] += 1;
    __threadfence();
    *(volatile int *)&lock_6 = 0;
}

// ---- which threads of the block have waited

__device__ int told_data, told_flag, told_well_data, told_well_flag;

// A thread of each warp reads the flag; one has no fence after it, and the other's fence does not count for it.
// guilty: race error @write @read
// launch: 2 64 0
extern "C" __global__ void fence_of_another_warp(int *data, int *out, int n)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t == 0) {
        told_data = 1; // @write
        __threadfence();
        *(volatile int *)&told_flag = 1;
    }
    if (blockIdx.x == 1 && t % 32 == 0) {
        while (!*(volatile int *)&told_flag)
            ;
        if (t == 0)
            __threadfence();
        out[t] = told_data; // @read
    }
}

// innocent
// launch: 2 64 0
extern "C" __global__ void fence_before_the_barrier(int *data, int *out, int n)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0 && t == 0) {
        told_well_data = 1;
        __threadfence();
        *(volatile int *)&told_well_flag = 1;
    }
    if (blockIdx.x == 1 && t == 0) {
        while (!*(volatile int *)&told_well_flag)
            ;
        __threadfence();
    }
    __syncthreads();
    if (blockIdx.x == 1)
        out[t] = told_well_data;
}

// Each of two lanes has read a flag, and then reads what the other's flag announced.
// guilty: race error @write @read
// launch: 1 96
TWINS(flag_of_another_lane, flags_before_a_sync)
{
    __shared__ int word[2], flag[2];
    int t = threadIdx.x, i = t / 32 - 1;
    if (t < 2)
        flag[t] = 0;
    __syncthreads();
    if (t == 32 || t == 64) {
        word[i] = 7; // @write
        __threadfence_block();
        *(volatile int *)&flag[i] = 1;
    }
    if (t < 2) {
        while (!*(volatile int *)&flag[t])
            ;
        __threadfence_block();
    }
    if (innocent)
        __syncwarp();
    if (t < 2)
        out[t] = word[1 - t]; // @read
}
