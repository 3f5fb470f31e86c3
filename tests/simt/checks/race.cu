// Kernels for the race checker: races that it must find, each with a twin; silent.cu has more innocent kernels.
// test_checks.c reads the comments.
#include "twins.h"

// guilty: race error @write @read
// launch: 1 64
TWINS(missing_barrier, barrier_between)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = data[t]; // @write
    if (innocent)
        __syncthreads();
    out[t] = s[63 - t]; // @read
}

// guilty: race error @write @read | race warning @write @read
// launch: 1 64
TWINS(scan_in_place, scan_with_two_barriers)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int v = t >= d ? s[t - d] : 0; // @read
        if (innocent)
            __syncthreads();
        s[t] += v; // @write
        __syncthreads();
    }
    out[t] = s[t];
}

// One block writes a row of global memory, and another one reads it.
// guilty: race error @write @read
// launch: 2 32
TWINS(row_of_another_block, rows_of_two_blocks)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        data[t] = t; // @write
    else
        out[t] = data[innocent ? 32 + t : t]; // @read
}

// Two warps read the row; one has synchronized its lanes since, the other has not.
// guilty: race error @read @write
// launch: 1 64
extern "C" __global__ void reader_in_another_warp(int *data, int *out, int n)
{
    __shared__ int s[32];
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t < 32)
        s[t] = data[t];
    if (t == 0)
        flag = 0;
    __syncthreads();
    int mine = s[t & 31]; // @read
    if (t == 32)
        flag = mine | 1;
    while (t < 32 && !flag)
        ;
    __syncwarp();
    if (t < 32)
        s[t] = mine + 1; // @write
    out[t] = mine;
}

// innocent
// launch: 1 64
extern "C" __global__ void readers_behind_a_barrier(int *data, int *out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32)
        s[t] = data[t];
    __syncthreads();
    int mine = s[t & 31];
    __syncthreads();
    if (t < 32)
        s[t] = mine + 1;
    out[t] = mine;
}

// The next round reuses the array before all threads have read it: a write after a read.
// guilty: race error @read @write
// launch: 1 64
extern "C" __global__ void used_again_too_soon(int *data, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < 3; round++) {
        s[t] = data[t] + round; // @write
        __syncthreads();
        sum += s[63 - t]; // @read
    }
    out[t] = sum;
}

// guilty: race warning @first @first
extern "C" __global__ void warp_without_syncwarp(int *data, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    s[t + 32] = 1;
    __syncthreads();
    for (int d = 16; d > 0; d /= 2)
        s[t] += s[t + d]; // @first
    out[t] = s[t];
}

// guilty: race warning @write @read
TWINS(volatile_without_syncwarp, volatile_with_syncwarp)
{
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // @write
    if (innocent)
        __syncwarp();
    out[t] = s[31 - t]; // @read
}

// Volatile words are not a barrier between warps either,
// guilty: race error @put @take
// launch: 1 64
extern "C" __global__ void volatile_between_warps(int *data, int *out, int n)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = data[t]; // @put
    __syncwarp();
    out[t] = s[t ^ 32] + 1; // @take
}

// but a warp may wait for another one by polling a volatile flag, which is only compared. The fences order the value.
// guilty: race error @value @used
// launch: 1 64
TWINS(volatile_flag_without_fences, volatile_flag_with_fences)
{
    __shared__ volatile int value, ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = data[0]; // @value
        if (innocent)
            __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 0) {
        while ((ready & 1) == 0)
            ;
        if (innocent)
            __threadfence_block();
        out[0] = value; // @used
    }
}

// The sum reads a neighbour's word and writes its own between two __syncwarp: a third one must separate read and write.
// guilty: race warning @sum @sum
extern "C" __global__ void syncwarp_in_the_wrong_place(int *data, int *out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        s[t] += s[t ^ d]; // @sum
        __syncwarp();
    }
    out[t] = s[t];
}

// guilty: race warning @write @read
extern "C" __global__ void shuffles_order_no_memory(int *data, int *out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // @write
    int v = __shfl_xor_sync(0xffffffff, t, 1);
    out[t] = s[31 - t] + v; // @read
}

// guilty: race warning @write @read
extern "C" __global__ void syncwarp_of_the_other_half(int *data, int *out, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // @write
    __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
    out[t] = s[31 - t]; // @read
}

// guilty: race error @add @add
// launch: 1 64
extern "C" __global__ void counter_without_atomic(int *data, int *out, int n)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 1)
        count += 1; // @add
    __syncthreads();
    out[threadIdx.x] = count;
}

// guilty: race error @atomic @read
// launch: 1 64
extern "C" __global__ void atomic_read_without_barrier(int *data, int *out, int n)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&count, 1); // @atomic
    if (threadIdx.x == 40)
        out[0] = count; // @read
}

// guilty: race error @write @read
// launch: 1 64
extern "C" __global__ void bytes_of_one_word(int *data, int *out, int n)
{
    __shared__ char s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = data[t]; // @write
    out[t] = s[63 - t]; // @read
}

// innocent
// launch: 1 64
extern "C" __global__ void each_its_own_byte(int *data, int *out, int n)
{
    __shared__ char s[64];
    int t = threadIdx.x;
    s[t / 32 + t % 32 * 2] = data[t];
    out[t] = s[t / 32 + t % 32 * 2];
}

// information: race @write
// launch: 1 64
extern "C" __global__ void all_write_the_same(int *data, int *out, int n)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (data[threadIdx.x] % 2)
        found = 1; // @write
    __syncthreads();
    out[threadIdx.x] = found;
}

// ---- global memory

// guilty: race error @write @read
// launch: 1 64
TWINS(global_missing_barrier, global_barrier_between)
{
    int t = threadIdx.x;
    data[t] = t; // @write
    if (innocent)
        __syncthreads();
    out[t] = data[63 - t]; // @read
}

// guilty: race error @add @add
// launch: 4 32
TWINS(blocks_add_without_atomic, blocks_add_with_atomic)
{
    if (threadIdx.x == 0 && !innocent)
        out[0] += data[blockIdx.x] + 1; // @add
    else if (threadIdx.x == 0)
        atomicAdd(&out[0], data[blockIdx.x]);
}

// guilty: race error @read @write
// launch: 2 32
extern "C" __global__ void shift_in_place_over_blocks(int *data, int *out, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    int v = i + 1 < 64 ? data[i + 1] : 0; // @read
    __syncthreads();
    data[i] = v; // @write
}

__device__ int flag_1, value_1, flag_2, value_2, flag_3, value_3;

// guilty: race error @write @read
// launch: 2 32
extern "C" __global__ void flag_without_fence(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        value_1 = data[5]; // @write
        atomicExch(&flag_1, 1);
    } else {
        while (atomicAdd(&flag_1, 0) == 0)
            ;
        out[0] = value_1; // @read
    }
}

// guilty: race error @write @read
// launch: 2 32
extern "C" __global__ void fence_only_where_it_is_written(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        value_2 = data[5]; // @write
        __threadfence();
        atomicExch(&flag_2, 1);
    } else {
        while (atomicAdd(&flag_2, 0) == 0)
            ;
        out[0] = value_2; // @read
    }
}

// guilty: race error @write @read
// launch: 2 32
extern "C" __global__ void fence_of_the_block_only(int *data, int *out, int n)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        value_3 = data[5]; // @write
        __threadfence_block();
        atomicExch(&flag_3, 1);
    } else {
        while (atomicAdd(&flag_3, 0) == 0)
            ;
        __threadfence_block();
        out[0] = value_3; // @read
    }
}

__device__ unsigned ticket_1;

// guilty: race error @partial @read
// launch: 4 32
extern "C" __global__ void last_block_without_fence(int *data, int *out, int n)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        data[blockIdx.x] = blockIdx.x; // @partial
        last = atomicAdd(&ticket_1, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < 4)
        out[threadIdx.x] = data[threadIdx.x]; // @read
}

// guilty: race error @read @write
// launch: 1 128
TWINS(read_by_all_written_too_soon, read_by_all_written_later)
{
    int v = data[0]; // @read
    atomicAdd(&out[1], v);
    if (innocent)
        __syncthreads();
    else
        __syncwarp();
    if (threadIdx.x == 0)
        data[0] = v + 1; // @write
}

// A barrier of the block does not prevent other blocks from reading.
// guilty: race error @read @write
// launch: 8 64
extern "C" __global__ void read_by_all_blocks_written_too_soon(int *data, int *out, int n)
{
    int v = data[0]; // @read
    atomicAdd(&out[1], v);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 7)
        data[0] = v + 1; // @write
}

__device__ unsigned have_read;

// innocent
// launch: 8 64
extern "C" __global__ void read_by_all_blocks_written_later(int *data, int *out, int n)
{
    int v = data[0];
    atomicAdd(&out[1], v);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence();
    atomicAdd(&have_read, 1);
    while (blockIdx.x == 0 && atomicAdd(&have_read, 0) < gridDim.x)
        ;
    __threadfence();
    if (blockIdx.x == 0)
        data[0] = v + 1;
}

// guilty: race warning @same @same | race warning @same
extern "C" __global__ void bytes_of_a_neighbour(int *data, int *out, int n)
{
    unsigned char *bytes = (unsigned char *)data;
    bytes[threadIdx.x] = bytes[threadIdx.x + 1]; // @same
}

// Lane 1 writes byte 4 long before lane 0 does.
// guilty: race warning @store @store
extern "C" __global__ void bytes_into_the_next_word(int *data, int *out, int n)
{
    volatile int five = 5;
    for (int i = 0; i < five && threadIdx.x < 2; i++)
        ((char *)data)[threadIdx.x * 4 + i] = threadIdx.x; // @store
}

// innocent
extern "C" __global__ void bytes_of_the_own_word(int *data, int *out, int n)
{
    volatile int four = 4;
    for (int i = 0; i < four && threadIdx.x < 2; i++)
        ((char *)data)[threadIdx.x * 4 + i] = threadIdx.x;
}

// launch: 1 64
// guilty: race error @same @same | race warning @same @same
extern "C" __global__ void halves_of_another_warp(int *data, int *out, int n)
{
    short *halves = (short *)data;
    halves[threadIdx.x] = (short)(halves[threadIdx.x ^ 32] + halves[threadIdx.x ^ 1]); // @same
}

// The thread that clears the sum also adds to it.
// guilty: race warning @zero @add
extern "C" __global__ void cleared_while_others_add(int *data, int *out, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = n;
    __syncthreads();
    if (threadIdx.x == 0)
        sum = 0; // @zero
    atomicAdd(&sum, 1); // @add
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = sum;
}

// guilty: race error @zero @add
// launch: 1 64
extern "C" __global__ void global_cleared_while_others_add(int *data, int *out, int n)
{
    if (threadIdx.x == 0)
        data[0] = 0; // @zero
    if (threadIdx.x == 0 || threadIdx.x >= 32)
        atomicAdd(&data[0], 1); // @add
}

// A barrier orders the clearing within its block only; the block's own atomics do not hide it from the others.
// guilty: race error @zero @add
// launch: 4 64
extern "C" __global__ void cleared_by_one_of_the_blocks(int *data, int *out, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        data[0] = 0; // @zero
    __syncthreads();
    if (threadIdx.x >= 32)
        atomicAdd(&data[0], 1); // @add
}

// innocent
// launch: 4 64
// sum: 128
extern "C" __global__ void cleared_before_a_flag(int *data, int *out, int n)
{
    volatile int *flag = data;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        out[0] = 0;
        __threadfence();
        *flag = -1;
    } else if (threadIdx.x == 0) {
        while (*flag != -1)
            ;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        atomicAdd(&out[0], 1);
}

// innocent
// launch: 1 64
// sum: 64
extern "C" __global__ void cleared_before_others_add(int *data, int *out, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = out[0] = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    atomicAdd(&out[0], 1);
    __syncthreads();
    if (sum != 64)
        out[0] = -1;
}

// A compare-and-swap loop may start from an old value; a value that is used may not be old.
// guilty: race warning @read @swap
extern "C" __global__ void read_beside_compare_and_swap(int *data, int *out, int n)
{
    int now = data[0]; // @read
    out[threadIdx.x] = now;
    int old = 0, seen;
    do {
        seen = old;
        old = atomicCAS(data, seen, seen + 1); // @swap
    } while (old != seen);
}

// guilty: race warning @store @read | race warning @store @swap
extern "C" __global__ void compare_and_swap_beside_a_store(int *data, int *out, int n)
{
    __shared__ int most[32];
    int t = threadIdx.x;
    most[t] = data[t]; // @store
    int old = most[t ^ 1], seen; // @read
    do {
        seen = old;
        old = atomicCAS(&most[t ^ 1], seen, max(seen, t)); // @swap
    } while (old != seen);
    __syncthreads();
    out[t] = most[t];
}

// The read-only cache does not see writes, whatever orders them.
// guilty: race error @write @read
// launch: 1 64
extern "C" __global__ void read_only_of_what_is_written(int *data, int *out, int n)
{
    data[threadIdx.x] = threadIdx.x; // @write
    __syncthreads();
    out[threadIdx.x] = __ldg(&data[63 - threadIdx.x]); // @read
}

// innocent
// launch: 1 64
extern "C" __global__ void read_only_before_it_is_written(int *data, int *out, int n)
{
    int v = __ldg(&data[63 - threadIdx.x]);
    __syncthreads();
    data[threadIdx.x] = v;
    __syncthreads();
    out[threadIdx.x] = data[63 - threadIdx.x];
}

// The word's own read is strong, but the read of the data next to it is not.
// guilty: race error @write @read
// launch: 1 64
extern "C" __global__ void barrier_word_that_orders_nothing(int *data, int *out, int n)
{
    __shared__ int s[64], arrived;
    int t = threadIdx.x, seen;
    if (t == 0)
        arrived = 0;
    __syncthreads();
    s[t] = t; // @write
    unsigned word = (unsigned)__cvta_generic_to_shared(&arrived);
    asm volatile("red.relaxed.cta.shared.add.s32 [%0], 1;" ::"r"(word) : "memory");
    do
        asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"(word) : "memory");
    while (seen < 64);
    out[t] = s[t ^ 32]; // @read
}

// Neighbouring threads write the bytes of a word: each byte keeps its own writer.
// guilty: race error @write @write
// launch: 2 64
TWINS(bytes_written_by_two_blocks, bytes_of_one_word_by_two_blocks)
{
    unsigned char *bytes = (unsigned char *)data;
    bytes[innocent ? 2 * threadIdx.x + blockIdx.x : threadIdx.x] = blockIdx.x; // @write
}

// guilty: race error @write @read
// launch: 1 64
TWINS(halves_read_without_a_barrier, halves_read_after_a_barrier)
{
    short *halves = (short *)data;
    int t = threadIdx.x;
    halves[t] = t; // @write
    if (innocent)
        __syncthreads();
    out[t] = halves[63 - t]; // @read
    __syncthreads();
    halves[t ^ 1] = out[t];
}

// A filter over an image in place. Only at the edges of their parts do blocks write bytes that the other one reads.
// guilty: race error @write @read
// launch: 2 33
TWINS(bytes_filtered_in_place, bytes_filtered_into_another_array)
{
    unsigned char *bytes = (unsigned char *)data, *filtered = innocent ? (unsigned char *)out : bytes;
    int i = blockIdx.x * 33 + threadIdx.x;
    int sum = i ? bytes[i] + bytes[i - 1] : bytes[i]; // @read
    __syncthreads();
    filtered[i] = sum; // @write
}

// The word is read whole, but another warp writes one of its bytes.
// guilty: race error @write @read
// launch: 1 64
extern "C" __global__ void word_read_beside_one_of_its_bytes(int *data, int *out, int n)
{
    unsigned char *bytes = (unsigned char *)data;
    int t = threadIdx.x;
    if (t != 32)
        bytes[t == 0 ? 2 : 4 + t] = t;
    __syncthreads();
    if (t == 32)
        bytes[1] = t; // @write
    else if (t == 0)
        out[0] = data[0]; // @read
}

// innocent
// launch: 1 64
extern "C" __global__ void bytes_and_words_in_turns(int *data, int *out, int n)
{
    unsigned char *bytes = (unsigned char *)data;
    int t = threadIdx.x;
    bytes[t] = t;
    __syncthreads();
    if (t < 16)
        data[t] += out[t];
    __syncthreads();
    out[t] = bytes[63 - t];
    __syncthreads();
    bytes[63 - t] = t;
}

// All blocks read words that are not contiguous, and one block writes one of them.
// guilty: race error @read @write
// launch: 2 32
TWINS(words_apart_read_by_all, words_between_those_read_by_all)
{
    int t = threadIdx.x, x = data[2 * t]; // @read
    out[blockIdx.x * 32 + t] = x;
    if (blockIdx.x == 1 && (innocent || t == 5))
        data[2 * t + innocent] = 7; // @write
}

// All blocks repeatedly read the same words; then one of them writes there.
// guilty: race error @write @read
// launch: 4 64
TWINS(table_written_by_a_reader, words_between_those_of_a_table)
{
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        sum += data[2 * (t % 32)]; // @read
        out[blockIdx.x * 64 + t] = sum;
    }
    if (blockIdx.x == 2 && t < 32)
        data[2 * t + innocent] = 7; // @write
}

// Each thread uses only its own word, and then reads another warp's. Without strong accesses, a record of reads by
// several threads keeps the first one's line: that is the writer's own sum if its thread read first.
// guilty: race error @sum @read | race error @sum @sum
// launch: 1 64
TWINS(sums_in_memory_read_too_early, sums_in_memory)
{
    int t = threadIdx.x;
    for (int k = 0; k < n; k++)
        out[t] += data[k]; // @sum
    if (innocent)
        __syncthreads();
    out[64 + t] = out[63 - t]; // @read
}

// Each thread uses only its own word, apart from its neighbour's; another block reads one of them. If it reads between
// the writer's load and store, the record of both reads keeps the first one's line, as above.
// guilty: race error @sum @read | race error @sum @sum
// launch: 2 16
TWINS(sums_apart_read_by_another_block, sums_apart)
{
    int t = threadIdx.x;
    for (int k = 0; k < n && blockIdx.x == 0; k++)
        out[2 * t] += data[k]; // @sum
    if (blockIdx.x == 1)
        out[2 * t + 1] = innocent ? data[t] : out[2 * t]; // @read
}
