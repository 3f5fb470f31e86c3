// ranks.h: code from earlier steps and chapters that step 07 of chapter 04-sort uses: ranks, counts, tile descriptors.
#pragma once

#include "device/sort_digits.h"

#define MAX_ITEMS 32 // of a thread

// ---- From step 6: the ranks of a tile's words --------------------------------------------------------------------
// counts[d] = how many of the warp's words, count for each lane, have digit d. For all lanes.
static inline __device__ void count_words(unsigned *counts, const unsigned *word, int count, int pass)
{
    for (int d = threadIdx.x % 32; d < DIGITS; d += 32)
        counts[d] = 0;
    __syncwarp();
    for (int k = 0; k < count; k++)
        atomicAdd(&counts[digit(word[k], pass)], 1);
}

// counts[w][d], the number of warp w's words with digit d, becomes the tile rank of the first of them: after lower
// digits and, within the digit, after lower warps. Returns the rank of the first word with digit tid, 0 from thread
// DIGITS on; *count: the tile's number of such words. All threads must call it, at least DIGITS.
static inline __device__ unsigned first_ranks(unsigned (*counts)[DIGITS], unsigned *count)
{
    int tid = threadIdx.x, warps = tid < DIGITS ? blockDim.x / 32 : 0;
    unsigned sum = 0;
    __syncthreads(); // after all counts
    for (int w = 0; w < warps; w++)
        sum += counts[w][tid];
    unsigned begin = block_scan(sum), next = begin;
    for (int w = 0; w < warps; w++) {
        unsigned own = counts[w][tid];
        counts[w][tid] = next;
        next += own;
    }
    __syncthreads();
    *count = sum;
    return begin;
}

// The rank of this lane's word with digit d: next's entry for d, plus the lower lanes among peers, which have the same
// digit. Adds the warp's 32 words to next. All lanes must call it.
static inline __device__ int rank_word(unsigned *next, unsigned d, unsigned peers)
{
    unsigned lane = threadIdx.x % 32;
    int rank = next[d] + __popc(peers & ((1u << lane) - 1));
    __syncwarp();           // after all reads
    if (peers >> lane == 1) // the highest lane of them
        next[d] = rank + 1;
    __syncwarp(); // after all writes
    return rank;
}

// Reads the words of ranks tid, tid + blockDim.x, ... from cache; to[k]: the destination of word[k].
static inline __device__ void find_places(unsigned *to, unsigned *word, int count, const unsigned *cache,
                                          const unsigned *place, int pass)
{
    for (int k = 0, i = threadIdx.x; k < count; k++, i += blockDim.x) {
        word[k] = cache[i];
        to[k] = place[digit(word[k], pass)] + i;
    }
}

// Prefetches this warp's values into L2, one line for each of its later loads: lane k for item k. values NULL: none.
static inline __device__ void prefetch(const unsigned *values, int count, int first, int n)
{
    int lane = threadIdx.x % 32, i = first - lane + lane * 32;
    if (values && lane < count && i < n)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(&values[i]));
}

// Moves values through cache to the places of their keys. The thread's values are 32 apart, from first on.
static inline __device__ void move_values(unsigned *out, const unsigned *in, int count, int first, const int *rank,
                                          unsigned *cache, const unsigned *to, int n)
{
    unsigned value[MAX_ITEMS];
    load_words(value, count, in, first, 32, n, UNSIGNED);
    __syncthreads(); // after all have read their keys
    exchange(value, count, rank, cache);
    store_words(out, value, count, to, n, UNSIGNED);
}

// ---- From chapter 3, step 2: a histogram, here of all digits at once ---------------------------------------------
#define COUNT_BLOCK 512
#define COUNT_ITEMS 8

// Adds to totals[p * DIGITS + d] how many of the words of all keys have d as digit number p; the last d also counts
// words after the last key. For blocks of COUNT_BLOCK threads, any number of them.
static __global__ void __launch_bounds__(COUNT_BLOCK, 4)
    count_shares(unsigned *totals, const unsigned *keys, int n, enum order order)
{
    __shared__ unsigned table[PASSES * DIGITS];
    int tid = threadIdx.x, tile = COUNT_BLOCK * COUNT_ITEMS;
    unsigned word[COUNT_ITEMS];

    for (int i = tid; i < PASSES * DIGITS; i += COUNT_BLOCK)
        table[i] = 0;
    __syncthreads();
    for (int t = blockIdx.x; t < (n + tile - 1) / tile; t += gridDim.x) {
        load_words(word, COUNT_ITEMS, keys, t * tile + tid, COUNT_BLOCK, n, order);
        for (int k = 0; k < COUNT_ITEMS; k++)
            for (int p = 0; p < PASSES; p++)
                atomicAdd(&table[p * DIGITS + digit(word[k], p)], 1);
    }
    __syncthreads();
    for (int i = tid; i < PASSES * DIGITS; i += COUNT_BLOCK)
        atomicAdd(&totals[i], table[i]);
}

// Counts all digits of all keys into d_totals, which holds zeros, in one launch of as many blocks as the device holds.
static inline void count_all_digits(unsigned *d_totals, const unsigned *d_keys, int n, enum order order)
{
    int tiles = max(1, ceil_div(n, COUNT_BLOCK * COUNT_ITEMS)), processors;
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    count_shares<<<min(tiles, 4 * processors), COUNT_BLOCK>>>(d_totals, d_keys, n, order);
    check_cuda(cudaGetLastError());
}

// ---- From chapter 2, step 9: tickets ------------------------------------------------------------------------------
// The number of the next tile, for all threads of the block: tiles are numbered in the order in which blocks start.
static inline __device__ int take_ticket(unsigned *next)
{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0)
        ticket = atomicAdd(next, 1);
    __syncthreads();
    return ticket;
}

// ---- From chapter 2, step 10: tile descriptors -------------------------------------------------------------------
// A tile has a descriptor for each digit, one word: a status in the upper two bits, a count below 2^30 in the others.
// AGGREGATE: the count is the tile's own. PREFIX: the inclusive prefix, of all tiles up to and including it. At the end
// every tile has published PREFIX for every digit; in the next pass that same word must mean INVALID. So the statuses
// advance by two from pass to pass, modulo 4, and descriptors need to be zero only before the first pass. Status and
// count share one word: relaxed stores and loads are enough.
enum status { INVALID, AGGREGATE, PREFIX };

// Buffers of a pass. descriptors[t * DIGITS + d]: of tile t for digit d. These, the totals of every pass and digit, and
// the tickets of every pass are zero before the first pass.
struct pass {
    struct columns out, in;
    unsigned *descriptors, *totals, *tickets;
    int n, number;
    enum order order;
};

// Where the keys with digit tid begin in tile 0: after all keys with a lower digit. totals: of the pass. All
// threads must call it.
static inline __device__ unsigned first_place(const unsigned *totals)
{
    return block_scan(threadIdx.x < DIGITS ? totals[threadIdx.x] : 0);
}

static inline __device__ void publish(unsigned *descriptor, int pass, enum status status, unsigned count)
{
    unsigned value = (status + 2u * pass) << 30 | count;
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(descriptor), "r"(value));
}

static inline __device__ unsigned load_descriptor(const unsigned *descriptor)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(descriptor));
    return value;
}

static inline __device__ enum status status_of(unsigned value, int pass)
{
    return (enum status)((value >> 30) - 2u * pass & 3);
}

static inline __device__ unsigned count_of(unsigned value)
{
    return value & 0x3fffffff;
}
