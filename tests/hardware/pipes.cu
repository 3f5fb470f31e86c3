// The cost of instructions, atomics, launches and copies on a GPU, for the estimate (docs/estimate.md). micro.cu
// measures memories. micro.sh records both.
//
//     pipes            prints a row for each: what,bytes,value,unit
//     pipes --small    works on little data and prints `right` in place of values: for a machine without clocks
//
// Latency: one warp; each instruction needs the previous one. Value: clocks from one to the next. Rate: a block of 1024
// threads on each multiprocessor; every thread has four chains. Value: warp instructions per clock of one
// multiprocessor. Every result is checked, measured or not.
#define PROGRAM "pipes"
#include "program.h"

#include <string.h>
#include <time.h>

#define THREADS 1024
#define CHAINS 4
#define BINS 256

static int small;      // --small
static int processors; // multiprocessors of the device
static unsigned long long *result, *d_clocks; // words that kernels store
static void *arena;
static size_t arena_bytes;
static cudaEvent_t begun, ended;

static void print_row(const char *what, size_t bytes, double value, const char *unit)
{
    put_row(what, bytes, 4, value, unit, small);
}

static uint64_t read_word(const unsigned long long *d_word)
{
    unsigned long long value;
    cuda(cudaGetLastError());
    cuda(cudaMemcpy(&value, d_word, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void clear_words(void)
{
    cuda(cudaMemset(result, 0, sizeof *result));
    cuda(cudaMemset(d_clocks, 0, sizeof *d_clocks));
}

static int omitted; // rows

// Prints a row, unless the compiler has removed the measured code: no instruction of a chain takes only 2 clocks, and
// no multiprocessor issues more than 4 in one.
static void print_work(const char *what, size_t bytes, double value, const char *unit, double low, double high)
{
    if (small || (value >= low && value <= high)) {
        print_row(what, bytes, value, unit);
        return;
    }
    fprintf(stderr, "pipes: %s: %g is not between %g and %g; was it compiled away?\n", what, value, low, high);
    omitted++;
}

// ---- instructions: OPERATION(name, type, x after one)

#define OPERATIONS(X) \
    X(integer_pair, unsigned, (x + b) ^ c) \
    X(multiply_add, unsigned, c + x * b) \
    X(rotate, unsigned, __funnelshift_l(x, x, b)) \
    X(float_fma, float, __fmaf_rn(x, b, c)) \
    X(double_fma, double, __fma_rn(x, b, c)) \
    X(root, float, reciprocal_root(x)) \
    X(shuffle, unsigned, __shfl_xor_sync(~0u, x, b)) \
    X(match_one, unsigned, match_groups(x, 0)) \
    X(match_two, unsigned, match_groups(x, 1)) \
    X(match_eight, unsigned, match_groups(x, 7)) \
    X(match_all, unsigned, match_groups(x, 31)) \
    X(conversion, unsigned, __float_as_uint(__uint2float_rz(x)))

// Not the reciprocal: ptxas removes two in a row.
__device__ float reciprocal_root(float x)
{
    float y;
    asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Matches the mask + 1 values of a warp. The result is 1, since the lane with that number has this lane's value.
__device__ unsigned match_groups(unsigned x, unsigned mask)
{
    return __match_any_sync(~0u, x + (threadIdx.x & mask)) >> (threadIdx.x & mask) & 1;
}

// The start of a chain: first, since zero is 0. The compiler must not know this, nor that all lanes start with one
// value: it would compute once for the warp.
#define START(chain) (first + (threadIdx.x + chain) * zero)

// after: where a chain of `rounds` ends that starts from 0, or from 1 if the operation leaves 1 unchanged.
#define KERNELS(name, type, expression) \
    __global__ void latency_##name(int rounds, type first, type zero, type b, type c, unsigned long long *end, \
                                   unsigned long long *clocks) \
    { \
        type x = START(0); \
        long long begin = clock64(), after = 0; \
        _Pragma("unroll 16") for (int i = 0; i < rounds; i++) x = expression; \
        if (x != (type)77) /* always: but the clock is not read before the chain has ended */ \
            after = clock64(); \
        if (threadIdx.x == 0) { \
            *end = (unsigned long long)x; \
            *clocks = after - begin; \
        } \
    } \
    __device__ type next_##name(type x, type b, type c) \
    { \
        return expression; \
    } \
    __global__ void __launch_bounds__(THREADS) rate_##name(int rounds, type first, type zero, type b, type c, \
                                                           unsigned long long *end, unsigned long long *clocks) \
    { \
        type x0 = START(0), x1 = START(1), x2 = START(2), x3 = START(3); \
        __syncthreads(); \
        long long begin = clock64(); \
        _Pragma("unroll 8") for (int i = 0; i < rounds; i++) \
        { \
            x0 = next_##name(x0, b, c), x1 = next_##name(x1, b, c); \
            x2 = next_##name(x2, b, c), x3 = next_##name(x3, b, c); \
        } \
        if (x0 + x1 + x2 + x3 == (type)77) /* never, but no chain continues after the barrier */ \
            return; \
        __syncthreads(); \
        long long after = clock64() - begin; \
        unsigned long long sum = (unsigned long long)x0 + (unsigned long long)x1; \
        sum += (unsigned long long)x2 + (unsigned long long)x3; \
        atomicAdd(end, sum); \
        if (threadIdx.x == 0) \
            atomicMax(clocks, (unsigned long long)after); \
    }
OPERATIONS(KERNELS)

// instructions: in one round.
#define MEASURE(name, type, what, first, b, c, instructions, want) \
    static void measure_##name(int rounds) \
    { \
        clear_words(); \
        latency_##name<<<1, 32>>>(rounds, first, 0, b, c, result, d_clocks); \
        expect("latency of " what, read_word(result), want); \
        double each = (double)read_word(d_clocks) / rounds / instructions; \
        print_work("latency of " what, 0, each, "clocks", 2, 1000); \
        clear_words(); \
        rate_##name<<<processors, THREADS>>>(rounds, first, 0, b, c, result, d_clocks); \
        uint64_t sum = want; \
        sum *= (uint64_t)processors * THREADS * CHAINS; \
        expect("rate of " what, read_word(result), sum); \
        double all = (double)instructions * rounds * CHAINS * (THREADS / 32); \
        double rate = all / (double)read_word(d_clocks); \
        print_work("rate of " what, 0, rate, "warp instructions/clock", 0.001, 4.2); \
    }

static unsigned pairs_after(int rounds)
{
    unsigned x = 0;
    for (int i = 0; i < rounds; i++)
        x = (x + 12345) ^ 77777;
    return x;
}

MEASURE(integer_pair, unsigned, "an integer addition or logic", 0, 12345, 77777, 2, pairs_after(rounds))
MEASURE(multiply_add, unsigned, "an integer multiply-add", 0, 1, 1, 1, (unsigned)rounds)
MEASURE(rotate, unsigned, "a rotation", 1, 32, 0, 1, 1)
MEASURE(float_fma, float, "a multiply-add in single precision", 0, 1, 1, 1, (unsigned)rounds)
MEASURE(double_fma, double, "a multiply-add in double precision", 0, 1, 1, 1, (unsigned)rounds)
MEASURE(root, float, "an approximate reciprocal root", 1, 0, 0, 1, 1)
// The bits of the float of 0x4e9d3a74 are 0x4e9d3a74.
MEASURE(conversion, unsigned, "a conversion of an integer to float", 0x4e9d3a74, 0, 0, 1, 0x4e9d3a74)
MEASURE(shuffle, unsigned, "a shuffle", 7, 0, 0, 1, 7)
MEASURE(match_one, unsigned, "a match of one value", 1, 0, 0, 1, 1)
MEASURE(match_two, unsigned, "a match of 2 values", 1, 0, 0, 1, 1)
MEASURE(match_eight, unsigned, "a match of 8 values", 1, 0, 0, 1, 1)
MEASURE(match_all, unsigned, "a match of 32 values", 1, 0, 0, 1, 1)

// ---- constant memory, at addresses that are known at run time only

#define WORDS 16384 // 64 KB
#define STEP 16     // words between two loads: 64 bytes

__constant__ unsigned words[WORDS]; // word i: (i + STEP) % WORDS

// span: words, a power of two. stride: words between neighbouring lanes.
__global__ void __launch_bounds__(THREADS)
    read_constants(int rounds, unsigned stride, unsigned span, unsigned long long *end, unsigned long long *clocks)
{
    unsigned at = threadIdx.x % 32 * stride, sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < rounds; i++)
        sum += words[(at + i * STEP) & (span - 1)];
    if (sum == 77) // never true, but forces each load to complete before the barrier
        return;
    __syncthreads();
    long long after = clock64() - begin;
    atomicAdd(end, (unsigned long long)sum);
    if (threadIdx.x == 0)
        atomicMax(clocks, (unsigned long long)after);
}

// Each word holds the position of the next one.
__global__ void follow_constants(int rounds, unsigned span, unsigned long long *end, unsigned long long *clocks)
{
    unsigned at = 0;
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < rounds; i++)
        at = words[at & (span - 1)];
    *(volatile unsigned long long *)end = at;
    *clocks = clock64() - begin;
}

static void measure_constant_rate(const char *what, int rounds, unsigned stride, unsigned span)
{
    uint64_t want = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < (unsigned)rounds; i++)
            want += (((lane * stride + i * STEP) & (span - 1)) + STEP) % WORDS;
    clear_words();
    read_constants<<<processors, THREADS>>>(rounds, stride, span, result, d_clocks);
    expect(what, read_word(result), want * (THREADS / 32) * (unsigned)processors);
    double rate = (double)rounds * (THREADS / 32) / (double)read_word(d_clocks);
    print_work(what, 4 * span, rate, "warp instructions/clock", 0.001, 4.2);
}

static void measure_constant_latency(int rounds, unsigned span)
{
    unsigned at = 0;
    for (int i = 0; i < rounds; i++)
        at = ((at & (span - 1)) + STEP) % WORDS;
    clear_words();
    follow_constants<<<1, 1>>>(rounds, span, result, d_clocks);
    expect("latency of constant memory", read_word(result), at);
    print_row("latency of constant memory", 4 * span, (double)read_word(d_clocks) / rounds, "clocks");
}

static void measure_constants(int rounds)
{
    unsigned *host = (unsigned *)malloc(sizeof words);
    for (unsigned i = 0; i < WORDS; i++)
        host[i] = (i + STEP) % WORDS;
    cuda(cudaMemcpyToSymbol(words, host, sizeof words));
    free(host);
    for (unsigned span = 256; span <= WORDS; span *= 8) // 1 KB, 8 KB, 64 KB
        measure_constant_latency(rounds, span);
    for (unsigned span = 256; span <= WORDS; span *= 8)
        measure_constant_rate("rate of constant memory: one word for a warp", rounds, 0, span);
    measure_constant_rate("rate of constant memory: a word for each lane", rounds, 1, 256);
}

// ---- barriers, branches, fences

__global__ void barriers(int rounds, unsigned long long *end, unsigned long long *clocks)
{
    __shared__ int turn;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < rounds; i++)
        __syncthreads();
    if (threadIdx.x == 0)
        *clocks = clock64() - begin;
    atomicAdd(&turn, rounds);
    __syncthreads();
    if (threadIdx.x == 0)
        *end = turn;
}

static void measure_barriers(const char *what, int threads, int rounds)
{
    clear_words();
    barriers<<<1, threads>>>(rounds, result, d_clocks);
    expect(what, read_word(result), (uint64_t)rounds * threads);
    print_row(what, 0, (double)read_word(d_clocks) / rounds, "clocks");
}

// A loop around one multiply-add, not unrolled.
__global__ void loop(int rounds, unsigned b, unsigned long long *end, unsigned long long *clocks)
{
    unsigned x = 0;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        x = x * b + 1;
    *(volatile unsigned long long *)end = x;
    *clocks = clock64() - begin;
}

__global__ void fences(int rounds, volatile unsigned long long *end, unsigned long long *clocks)
{
    long long begin = clock64();
    for (int i = 1; i <= rounds; i++) {
        *end = i;
        __threadfence();
    }
    *clocks = clock64() - begin;
}

static void measure_loop(int rounds)
{
    clear_words();
    loop<<<1, 1>>>(rounds, 1, result, d_clocks);
    expect("a round of a loop", read_word(result), rounds);
    print_row("a round of a loop around one multiply-add", 0, (double)read_word(d_clocks) / rounds, "clocks");
    clear_words();
    fences<<<1, 1>>>(rounds, result, d_clocks);
    expect("a fence", read_word(result), rounds);
    print_row("a store and the fence behind it", 0, (double)read_word(d_clocks) / rounds, "clocks");
}

// Two blocks pass a number back and forth, each waiting for the other.
__global__ void hand_over(int rounds, volatile unsigned *words, unsigned long long *end, unsigned long long *clocks)
{
    int mine = blockIdx.x, other = 1 - mine;
    long long begin = clock64();
    for (int i = 1; i <= rounds; i++) {
        if (mine == 0)
            words[0] = i;
        while (words[other * 64] < i)
            ;
        if (mine == 1)
            words[64] = i;
    }
    if (mine == 0)
        *clocks = clock64() - begin, *end = words[64];
}

static void measure_hand_over(int rounds)
{
    clear_words();
    cuda(cudaMemset(arena, 0, 1024));
    hand_over<<<2, 1>>>(rounds, (unsigned *)arena, result, d_clocks);
    expect("handing over", read_word(result), rounds);
    print_row("a word handed from block to block", 4, (double)read_word(d_clocks) / (2.0 * rounds), "clocks");
}

// ---- atomics of 32 bits

// 1: all lanes on one word; 2: each lane on its own bank; 3: as many words, in a pseudorandom order.
__device__ unsigned place(int kind, unsigned round, unsigned words)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hash = (t + round * 1000003u) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    return kind == 1 ? 0 : kind == 2 ? threadIdx.x % words : (hash ^ hash >> 13) % words;
}

// one: the compiler sees that 1 is added. Otherwise it does not know that value is 1.
__global__ void __launch_bounds__(THREADS)
    add_shared(int kind, int one, int rounds, unsigned value, unsigned long long *end, unsigned long long *clocks)
{
    __shared__ unsigned words[BINS];
    if (threadIdx.x < BINS)
        words[threadIdx.x] = 0;
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < rounds; i++)
        if (one)
            atomicAdd(&words[place(kind, i, BINS)], 1);
        else
            atomicAdd(&words[place(kind, i, BINS)], value + (i & (int)(value - 1)));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
    if (threadIdx.x < BINS)
        atomicAdd(end, (unsigned long long)words[threadIdx.x]);
}

static void measure_add_shared(const char *what, int kind, int one, int rounds)
{
    clear_words();
    add_shared<<<processors, THREADS>>>(kind, one, rounds, 1, result, d_clocks);
    expect(what, read_word(result), (uint64_t)rounds * THREADS * processors);
    print_row(what, 4, (double)rounds * THREADS / (double)read_word(d_clocks), "lanes/clock");
}

// returns: the old sum is used.
__global__ void __launch_bounds__(THREADS)
    add_global(unsigned *words, unsigned count, int kind, int returns, int rounds, unsigned value, unsigned *sink)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, got = 0;
    for (int i = 0; i < rounds; i++) {
        unsigned at = kind == 4 ? t : place(kind, i, count);
        if (returns)
            got ^= atomicAdd(&words[at], value + (t & (value - 1)));
        else
            atomicAdd(&words[at], value + (t & (value - 1)));
    }
    if (got == ~0u)
        *sink = got;
}

__global__ void sum_words(const unsigned *words, unsigned count, unsigned long long *end)
{
    unsigned long long part = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        part += words[i];
    atomicAdd(end, part);
}

static double seconds(void)
{
    float ms = 0;
    cuda(cudaGetLastError());
    cuda(cudaEventRecord(ended));
    cuda(cudaEventSynchronize(ended));
    if (!small)
        cuda(cudaEventElapsedTime(&ms, begun, ended));
    return ms / 1e3;
}

static void measure_add_global(const char *what, int kind, unsigned bins, int returns, int rounds)
{
    unsigned *words = (unsigned *)arena;
    int blocks = 2 * processors;
    unsigned count = kind == 4 ? (unsigned)blocks * THREADS : bins;
    clear_words();
    cuda(cudaMemset(words, 0, count * sizeof *words));
    cuda(cudaEventRecord(begun));
    add_global<<<blocks, THREADS>>>(words, count, kind, returns, rounds, 1, words + count);
    double time = seconds();
    sum_words<<<blocks, THREADS>>>(words, count, result);
    expect(what, read_word(result), (uint64_t)blocks * THREADS * rounds);
    print_row(what, 4, (double)blocks * THREADS * rounds / time / 1e9, "billion/s");
}

__global__ void __launch_bounds__(THREADS) add_floats(float *word, int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomicAdd(word, threadIdx.x % 2 ? 1.0f : -1.0f);
}

// With so many additions to one word a sum of ones would not be exact, so half of them subtract 1.
static void measure_add_floats(const char *what, int rounds)
{
    float *word = (float *)arena, sum;
    int blocks = 2 * processors;
    cuda(cudaMemset(word, 0, sizeof *word));
    cuda(cudaEventRecord(begun));
    add_floats<<<blocks, THREADS>>>(word, rounds);
    double time = seconds();
    cuda(cudaMemcpy(&sum, word, sizeof sum, cudaMemcpyDeviceToHost));
    expect(what, sum != 0, 0);
    print_row(what, 4, (double)blocks * THREADS * rounds / time / 1e9, "billion/s");
}

static void measure_atomics(int rounds)
{
    measure_add_shared("shared additions of 1: one word", 1, 1, rounds);
    measure_add_shared("shared additions of 1: a bank for each lane", 2, 1, rounds);
    measure_add_shared("shared additions of 1: 256 words by chance", 3, 1, rounds);
    measure_add_shared("shared additions: one word", 1, 0, rounds);
    measure_add_shared("shared additions: a bank for each lane", 2, 0, rounds);
    measure_add_shared("shared additions: 256 words by chance", 3, 0, rounds);
    measure_add_global("global additions of 32 bits: one word", 1, BINS, 0, rounds);
    measure_add_global("global additions of 32 bits: one word and the sum returned", 1, BINS, 1, rounds);
    measure_add_global("global additions of 32 bits: 64 words by chance", 3, 64, 0, rounds);
    measure_add_global("global additions of 32 bits: 256 words by chance", 3, 256, 0, rounds);
    measure_add_global("global additions of 32 bits: 1024 words by chance", 3, 1024, 0, rounds);
    measure_add_global("global additions of 32 bits: 2^20 words by chance", 3, 1 << 20, 0, rounds);
    measure_add_global("global additions of 32 bits: neighbouring words", 4, BINS, 0, rounds);
    measure_add_floats("global additions in single precision: one word", rounds);
}

// ---- stores

#define PLACES 8 // words that a group of lanes writes in sequence

// Each group of `group` lanes writes neighbouring words, and has so many words to itself.
__global__ void __launch_bounds__(THREADS)
    store(int rounds, int group, int room, unsigned *words, unsigned long long *clocks)
{
    unsigned *at = words + (blockIdx.x * THREADS + threadIdx.x) / group * room + threadIdx.x % group;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        at[i % PLACES * group] = i / PLACES + 1;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(clocks, (unsigned long long)(clock64() - begin));
}

__global__ void count_words(const unsigned *words, size_t count, unsigned value, unsigned long long *end)
{
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    if (i < count && words[i] == value)
        atomicAdd(end, 1ull);
}

// The value: clocks per sector for one block, or sectors per ns for all blocks.
static void measure_stores(const char *what, int blocks, int group, int room, int rounds)
{
    double sectors = (double)rounds * THREADS / (group < 8 ? group : 8);
    clear_words();
    cuda(cudaMemset(arena, 0, small ? arena_bytes : (size_t)1 << 28));
    store<<<blocks, THREADS>>>(rounds, group, room, (unsigned *)arena, d_clocks); // so that the L2 cache has the lines
    cuda(cudaEventRecord(begun));
    store<<<blocks, THREADS>>>(rounds, group, room, (unsigned *)arena, d_clocks);
    double time = seconds();
    size_t words = (size_t)blocks * THREADS * 32;
    count_words<<<(words + THREADS - 1) / THREADS, THREADS>>>((unsigned *)arena, words, rounds / PLACES, result);
    expect(what, read_word(result), (uint64_t)blocks * THREADS * PLACES);
    if (blocks == 1)
        print_row(what, 4, (double)read_word(d_clocks) / sectors, "clocks");
    else
        print_row(what, 4, sectors * blocks / time / 1e9, "sectors/ns");
}

// ---- memory under load

// Block 0 follows a chain through memory while all others read; they end when block 0 has finished.
__global__ void __launch_bounds__(THREADS)
    chase_under_load(const unsigned *next, int steps, const uint4 *quads, size_t count, volatile unsigned *over,
                     unsigned long long *end, unsigned long long *clocks)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned at = 0;
        long long begin = clock64();
        for (int i = 0; i < steps; i++)
            at = __ldcg(&next[at]);
        *(volatile unsigned long long *)end = at;
        *clocks = clock64() - begin;
        __threadfence();
        *over = 1;
    }
    unsigned part = 0;
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    while (blockIdx.x != 0 && !*over)
        for (int k = 0; k < 64; k++, i += gridDim.x * (size_t)THREADS) {
            uint4 quad = __ldcg(&quads[i & (count - 1)]);
            part += quad.x + quad.y + quad.z + quad.w;
        }
    if (part == 12345)
        *over = 2;
}

#define READERS 256 // threads of a block

__global__ void read_quads(const uint4 *quads, unsigned long long *end)
{
    uint4 quad = quads[blockIdx.x * (size_t)blockDim.x + threadIdx.x];
    if (quad.x + quad.y + quad.z + quad.w)
        atomicAdd(end, 1ull);
}

// Seconds, the best of five, to read so much after the L2 cache has been filled with written data.
static double read_after_writes(size_t bytes)
{
    double best = 1;
    for (int i = 0; i < 5; i++) {
        cuda(cudaMemset((char *)arena + arena_bytes / 2, i, arena_bytes / 16));
        cuda(cudaEventRecord(begun));
        read_quads<<<bytes / READERS / sizeof(uint4), READERS>>>((uint4 *)arena, result);
        double time = seconds();
        best = time < best ? time : best;
    }
    return best;
}

// The difference of two sizes, since a launch itself takes time, too.
static void measure_reading(const char *what, size_t bytes)
{
    clear_words();
    cuda(cudaMemset(arena, 0, bytes));
    double time = read_after_writes(bytes) - read_after_writes(bytes / 3);
    expect(what, read_word(result), 0);
    print_row(what, bytes, (double)(bytes - bytes / 3) / time / 1e9, "GB/s");
}

#define LINE 32 // words

// A link in each line, with jumps that no prefetcher predicts: a ring through all lines, if count is a power of 2.
static unsigned *make_links(unsigned count)
{
    unsigned *next = (unsigned *)calloc((size_t)count * LINE, sizeof *next);
    if (!next)
        exit(fprintf(stderr, "pipes: the host has no memory for %u links\n", count));
    for (unsigned i = 0; i < count; i++)
        next[(size_t)i * LINE] = (i * 1664525u + 1013904223u) % count * LINE;
    return next;
}

static void measure_loaded_latency(const char *what, size_t bytes, int blocks, int steps)
{
    unsigned count = (unsigned)(bytes / (LINE * 4)), at = 0;
    unsigned *next = make_links(count), *over = (unsigned *)arena;
    char *chain = (char *)arena + 1024, *load = (char *)arena + arena_bytes / 2;
    clear_words();
    cuda(cudaMemset(arena, 0, arena_bytes)); // the L2 cache holds nothing of the chain
    cuda(cudaMemcpy(chain, next, bytes, cudaMemcpyHostToDevice));
    cuda(cudaMemset(load, 0, arena_bytes / 2));
    chase_under_load<<<blocks, THREADS>>>((unsigned *)chain, steps, (uint4 *)load, arena_bytes / 32, over, result,
                                          d_clocks);
    for (int i = 0; i < steps; i++)
        at = next[at];
    expect(what, read_word(result), at);
    print_row(what, bytes, (double)read_word(d_clocks) / steps, "clocks");
    free(next);
}

// ---- launches, blocks, copies

__global__ void nothing(void)
{
}

__global__ void count_blocks(unsigned long long *end)
{
    if (threadIdx.x == 0)
        atomicAdd(end, 1ull);
}

// Runs for so many clocks.
__global__ void busy(long long clocks, unsigned long long *end)
{
    long long begin = clock64();
    while (clock64() - begin < clocks)
        ;
    *end += 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure_launches(int count)
{
    for (int i = 0; i < 3; i++)
        nothing<<<1, 32>>>();
    cuda(cudaDeviceSynchronize());
    double time = 0, from = now();
    for (int i = 0; i < count; i++)
        nothing<<<1, 32>>>();
    cuda(cudaDeviceSynchronize());
    print_row("an empty kernel among many", 0, (now() - from) / count * 1e6, "us");
    for (int i = 0; i < count; i++) {
        cuda(cudaEventRecord(begun));
        nothing<<<1, 32>>>();
        time += seconds();
    }
    print_row("an empty kernel between two events", 0, time / count * 1e6, "us");
    time = 0;
    for (int i = 0; i < count; i++) {
        cuda(cudaEventRecord(begun));
        time += seconds();
    }
    print_row("two events with nothing between them", 0, time / count * 1e6, "us");
}

// Long kernels, each waiting for the previous one, compared with a single long one: the difference is the gap.
static void measure_gap(int count, long long clocks)
{
    busy<<<1, 1>>>(clocks, result);
    clear_words();
    cuda(cudaEventRecord(begun));
    busy<<<1, 1>>>(clocks, result);
    double one = seconds();
    cuda(cudaEventRecord(begun));
    for (int i = 0; i < count; i++)
        busy<<<1, 1>>>(clocks, result);
    double all = seconds();
    expect("gaps", read_word(result), 1 + (uint64_t)count);
    print_row("a long kernel among many", 0, (all - one) / (count - 1) * 1e6, "us");
    print_row("a long kernel alone", 0, one * 1e6, "us");
}

static void measure_blocks(const char *what, int blocks, int threads)
{
    clear_words();
    cuda(cudaEventRecord(begun));
    nothing<<<blocks, threads>>>();
    double time = seconds();
    count_blocks<<<blocks, threads>>>(result);
    expect(what, read_word(result), blocks);
    print_row(what, 0, time / blocks * 1e9, "ns");
}

static void measure_copies(size_t bytes, int count)
{
    char *host, word[4] = {1, 2, 3, 4}, back[4] = {0};
    cuda(cudaMallocHost((void **)&host, bytes));
    memset(host, 7, bytes);
    cuda(cudaEventRecord(begun));
    cuda(cudaMemcpyAsync(arena, host, bytes, cudaMemcpyHostToDevice));
    print_row("rate of copying from page-locked memory", bytes, (double)bytes / seconds() / 1e9, "GB/s");
    memset(host, 0, bytes);
    cuda(cudaEventRecord(begun));
    cuda(cudaMemcpyAsync(host, arena, bytes, cudaMemcpyDeviceToHost));
    print_row("rate of copying to page-locked memory", bytes, (double)bytes / seconds() / 1e9, "GB/s");
    for (size_t i = 0; i < bytes; i++)
        expect("copies", host[i], 7);
    cuda(cudaMemcpy(arena, word, 4, cudaMemcpyHostToDevice));
    double from = now();
    for (int i = 0; i < count; i++)
        cuda(cudaMemcpy(back, arena, 4, cudaMemcpyDeviceToHost));
    print_row("a copy of 4 bytes to the host", 4, (now() - from) / count * 1e6, "us");
    expect("a copy of 4 bytes", (uint64_t)memcmp(word, back, 4), 0);
    from = now();
    for (int i = 0; i < count; i++)
        cuda(cudaMemsetAsync(arena, 0, 4));
    cuda(cudaDeviceSynchronize());
    print_row("a fill of 4 bytes among many", 4, (now() - from) / count * 1e6, "us");
    cuda(cudaFreeHost(host));
}

// ---- all of it

static void prepare(void)
{
    arena_bytes = small ? (size_t)1 << 22 : (size_t)1 << 31;
    cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    cuda(cudaMalloc(&arena, arena_bytes));
    cuda(cudaMalloc((void **)&result, sizeof *result));
    cuda(cudaMalloc((void **)&d_clocks, sizeof *d_clocks));
    cuda(cudaEventCreate(&begun));
    cuda(cudaEventCreate(&ended));
    printf("what,bytes,value,unit\n");
}

static void measure_instructions(int rounds)
{
    measure_integer_pair(rounds);
    measure_multiply_add(rounds);
    measure_rotate(rounds);
    measure_float_fma(rounds);
    measure_double_fma(rounds);
    measure_root(rounds);
    measure_conversion(rounds);
    measure_shuffle(rounds);
    measure_match_one(rounds);
    measure_match_two(rounds);
    measure_match_eight(rounds);
    measure_match_all(rounds);
    measure_constants(rounds);
    measure_barriers("a barrier of one warp", 32, rounds);
    measure_barriers("a barrier of 256 threads", 256, rounds);
    measure_barriers("a barrier of 1024 threads", 1024, rounds);
    measure_loop(rounds);
    measure_hand_over(rounds);
}

static void measure_latencies(void)
{
    size_t little = small ? 1 << 16 : 8 << 20, much = small ? 1 << 16 : 256 << 20;
    int steps = small ? 64 : 4096;
    measure_loaded_latency("latency of device memory: 8 MB", little, 1, steps);
    measure_loaded_latency("latency of device memory: 256 MB", much, 1, steps);
    measure_loaded_latency("latency of device memory while 33 blocks read it", much, small ? 2 : 33, steps);
    measure_loaded_latency("latency of device memory while 132 blocks read it", much, small ? 3 : 132, steps);
    measure_loaded_latency("latency of device memory while 264 blocks read it", much, small ? 4 : 264, steps);
}

int main(int argc, char **argv)
{
    small = argc > 1 && !strcmp(argv[1], "--small");
    if (argc > 1 + small)
        return fprintf(stderr, "usage: pipes [--small]\n"), 1;
    prepare();
    measure_instructions(small ? 96 : 4096);
    measure_stores("stores of a word to a line by one multiprocessor", 1, 1, 32, small ? 8 : 4096);
    measure_stores("stores of a word to a line by all multiprocessors", processors, 1, 32, small ? 8 : 4096);
    measure_stores("stores of a word to each sector by all multiprocessors", processors, 1, 8, small ? 8 : 4096);
    measure_stores("stores of whole lines by all multiprocessors", processors, 32, 32 * PLACES, small ? 8 : 4096);
    measure_atomics(small ? 4 : 1024);
    measure_reading("rate of reading device memory after as much was written as the L2 cache holds",
                    small ? 3 << 14 : 48 << 20);
    measure_latencies();
    measure_launches(small ? 3 : 2000);
    measure_gap(small ? 3 : 200, small ? 100 : 40000);
    measure_blocks("a block of 32 threads that does nothing", small ? 100 : 1 << 20, 32);
    measure_blocks("a block of 256 threads that does nothing", small ? 100 : 1 << 20, 256);
    measure_copies(small ? 1 << 16 : 256 << 20, small ? 3 : 500);
    return omitted ? 2 : 0;
}
