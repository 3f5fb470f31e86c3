// words.h: words in place of keys, for the programs of chapter 04-sort that sort all three orders.
//
// The word of a key is a number without sign; words are in the order of their keys. A program turns keys into words
// when it reads them first, and words into keys when it writes them last.
#ifndef DEVICE_WORDS_H
#define DEVICE_WORDS_H

#include "device/keys.h"
#include "device/launch.h"
#include "device/prefix.h"

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
#define PASSES 4 // digits of a word

// Digit number pass of a word, 8 bits, the lowest first.
static inline __device__ unsigned digit(unsigned word, int pass)
{
    return __byte_perm(word, 0, 0x4440 + pass); // one instruction where a shift and a mask are two
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

// The lanes of the warp whose bit of d is as this lane's. In PTX, since it becomes four instructions; `d & bit ? ones :
// ~ones` of a __ballot_sync becomes seven, and this is what step 7 does most.
static inline __device__ unsigned agreeing(unsigned d, unsigned bit)
{
    unsigned lanes;
    asm volatile("{\n.reg .pred one;\n"
                 "setp.ne.u32 one, %1, 0;\n"
                 "vote.sync.ballot.b32 %0, one, 0xffffffff;\n"
                 "@!one not.b32 %0, %0;\n}"
                 : "=r"(lanes)
                 : "r"(d & bit));
    return lanes;
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
// k * blockDim.x + tid went to place to[k], if that is below n.
static inline __device__ void move_values(unsigned *out, unsigned *cache, const unsigned *value, const int *rank,
                                          const unsigned *to, int count, int n)
{
    __syncthreads(); // all have taken the keys that were in cache
    for (int k = 0; k < count; k++)
        cache[rank[k]] = value[k];
    __syncthreads();
    for (int k = 0, i = threadIdx.x; k < count; k++, i += blockDim.x)
        if (to[k] < (unsigned)n)
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

#define COUNT_BLOCK 512
#define COUNT_ITEMS 8

// Adds to totals[p * DIGITS + d] how many of the words of all keys have d as digit number p; for the last d also words
// behind the last key. For blocks of COUNT_BLOCK threads, any number of them.
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
