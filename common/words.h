// words.h: words in place of keys, for the programs of chapter 04-sort that sort all three orders.
//
// The word of a key is a number without sign; words are in the order of their keys. A program turns keys into words
// when it reads them first, and words into keys when it writes them last.
#ifndef WORDS_H
#define WORDS_H

#include "prefix.h"
#include "sort.h"

static inline __device__ unsigned to_word(unsigned key, enum order order)
{
    unsigned flip = order == FLOATS ? (unsigned)((int)key >> 31) | HALF : order == SIGNED ? HALF : 0;
    return key ^ flip; // of a negative float all bits, otherwise the sign
}

static inline __device__ unsigned to_key(unsigned word, enum order order)
{
    unsigned flip = order == FLOATS ? ~(unsigned)((int)word >> 31) | HALF : order == SIGNED ? HALF : 0;
    return word ^ flip;
}

#define DIGITS 256

// Digit number pass of a word, 8 bits, the lowest first.
static inline __device__ unsigned digit(unsigned word, int pass)
{
    return word >> 8 * pass & (DIGITS - 1);
}

// The words of count keys: word[k] that of key first + k * stride, for those below n. Behind the last key stand words
// as high as can be: a stable sort leaves them behind all keys, also behind the largest, so none is mistaken for one.
static inline __device__ void load_words(unsigned *word, int count, const unsigned *keys, int first, int stride, int n,
                                         enum order order)
{
    if (first - (int)(threadIdx.x % 32) + count * stride <= n) // a warp loads all or looks at each
        for (int k = 0; k < count; k++)
            word[k] = keys[first + k * stride]; // independent: all in flight together
    else
        for (int k = 0; k < count; k++)
            word[k] = first + k * stride < n ? keys[first + k * stride] : to_key(~0u, order);
    if (order != UNSIGNED)
        for (int k = 0; k < count; k++)
            word[k] = to_word(word[k], order);
}

// counts[w][d], how often digit d stands in warp w's words, becomes the rank in the tile of the first of them: behind
// lower digits and, within the digit, behind lower warps. Returns the rank of the first word with digit tid, 0 from
// thread DIGITS on; *count: how many words of the tile have it. For all threads, at least DIGITS.
static inline __device__ unsigned first_ranks(unsigned (*counts)[DIGITS], unsigned *count)
{
    int tid = threadIdx.x, warps = tid < DIGITS ? blockDim.x / 32 : 0;
    unsigned sum = 0;
    __syncthreads(); // all have counted
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

// Sends values after their keys: value k of this thread went with the key that got rank[k], and the key of rank
// k * blockDim.x + tid went to out number to[k], if that rank is below here. value: room for count of them.
static inline __device__ void move_values(unsigned *out, unsigned *cache, unsigned *value, const int *rank,
                                          const unsigned *to, int count, int here)
{
    __syncthreads(); // all have taken the keys that were in cache
    for (int k = 0; k < count; k++)
        cache[rank[k]] = value[k];
    __syncthreads();
    for (int k = 0, i = threadIdx.x; k < count; k++, i += blockDim.x)
        if (i < here)
            out[to[k]] = cache[i];
}

// counts[d * tiles + t] = how many keys of tile t have digit d. For blocks of DIGITS threads.
static __global__ void count_digits(unsigned *counts, const unsigned *keys, int n, int tile, int pass,
                                    enum order order)
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

// ---- What tiles say to each other in step 7 ----------------------------------------------------------------------
// What a tile says about a digit is one word: a status in the upper two bits, a count below 2^30 in the others. ALONE:
// the count is the tile's. UP_TO: of all tiles up to and with it. In the end a tile has said UP_TO of every digit; in
// the next pass that same word must mean NOTHING. So statuses move on by two from pass to pass, modulo 4, and words
// need to be zero before the first pass only. One word has status and count: relaxed stores and loads are enough.
enum status { NOTHING, ALONE, UP_TO };

static inline __device__ void say(unsigned *word, int pass, enum status status, unsigned count)
{
    unsigned value = (status + 2u * pass) << 30 | count;
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(word), "r"(value));
}

static inline __device__ unsigned ask(const unsigned *word)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word));
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
#endif
