// sort_digits.h: code that steps 06 and 07 of chapter 04-sort take from the exercises of steps 4 and 5: the words of
// keys, digits, counts and their scan, and how a tile's words move through shared memory.
//
// The word of a key is an unsigned number; words compare as their keys do. A program turns keys into words when it
// first reads them, and words back into keys when it writes them for the last time.
#pragma once

#include "device/launch.h"
#include "device/prefix.h"
#include "device/sort_keys.h"

// ---- From step 4, here for all three orders: the flip, and back --------------------------------------------------
static inline __device__ unsigned to_word(unsigned key, enum order order)
{
    unsigned flip = order == FLOATS ? (unsigned)((int)key >> 31) | HALF : order == SIGNED ? HALF : 0;
    return key ^ flip; // all bits of a negative float, otherwise the sign bit
}

static inline __device__ unsigned to_key(unsigned word, enum order order)
{
    unsigned flip = order == FLOATS ? ~(unsigned)((int)word >> 31) | HALF : order == SIGNED ? HALF : 0;
    return word ^ flip;
}

// ---- From step 5, here for digits of 8 bits and several keys per thread ------------------------------------------
#define DIGITS 256
#define PASSES 4 // digits of a word

// Digit number pass of a word, 8 bits, the lowest first.
static inline __device__ unsigned digit(unsigned word, int pass)
{
    return __byte_perm(word, 0, 0x4440 + pass); // one instruction; a shift and a mask are two
}

// The words of count keys: word[k] is that of key first + k * stride. After key n - 1 the highest possible word stands
// in: a stable sort leaves it after all keys, even the largest, so it is never mistaken for one.
static inline __device__ void load_words(unsigned *word, int count, const unsigned *keys, int first, int stride, int n,
                                         enum order order)
{
    if (first - (int)(threadIdx.x % 32) + count * stride <= n) // all of the warp's keys exist
        for (int k = 0; k < count; k++)
            word[k] = keys[first + k * stride]; // independent: all in flight together
    else
        for (int k = 0; k < count; k++)
            word[k] = first + k * stride < n ? keys[first + k * stride] : to_key(~0u, order);
    if (order != UNSIGNED)
        for (int k = 0; k < count; k++)
            word[k] = to_word(word[k], order);
}

// Writes word[k] to rank[k] in cache, and replaces it by the word of rank k * blockDim.x + tid.
static inline __device__ void exchange(unsigned *word, int count, const int *rank, unsigned *cache)
{
    for (int k = 0; k < count; k++)
        cache[rank[k]] = word[k];
    __syncthreads();
    for (int k = 0, i = threadIdx.x; k < count; k++, i += blockDim.x)
        word[k] = cache[i];
}

// Stores word[k], as a key again, at place to[k] of out. Stand-ins are not stored: their places are n and above.
static inline __device__ void store_words(unsigned *out, unsigned *word, int count, const unsigned *to, int n,
                                          enum order order)
{
    if (order != UNSIGNED)
        for (int k = 0; k < count; k++)
            word[k] = to_key(word[k], order);
    for (int k = 0; k < count; k++)
        if (to[k] < (unsigned)n)
            out[to[k]] = word[k];
}

// counts[d * tiles + t] = how many keys of tile t have digit d. For blocks of DIGITS threads.
static __global__ void count_digits(unsigned *counts, const unsigned *keys, int n, int tile, int pass, enum order order)
{
    __shared__ unsigned table[DIGITS];
    int tid = threadIdx.x, begin = blockIdx.x * tile;

    table[tid] = 0;
    __syncthreads();
    for (int i = begin + tid; i < min(n, begin + tile); i += DIGITS)
        atomicAdd(&table[digit(to_word(keys[i], order), pass)], 1);
    __syncthreads();
    counts[tid * gridDim.x + blockIdx.x] = table[tid];
}

// starts[d * tiles + t] = where the keys of tile t with digit d begin: the counts, scanned.
static inline void find_starts(unsigned *d_starts, const unsigned *d_keys, int n, int tile, int pass, enum order order)
{
    int tiles = max(1, ceil_div(n, tile));
    count_digits<<<tiles, DIGITS>>>(d_starts, d_keys, n, tile, pass, order);
    check_cuda(cudaGetLastError());
    exclusive_scan(d_starts, d_starts + DIGITS * tiles, DIGITS * tiles);
}
