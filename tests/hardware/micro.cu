// The cost of a GPU's memories: latencies, rates, launches, atomics. micro.sh records it, docs/gpu.md shows it.
//
//     micro            prints a row for each: what,bytes,value,unit
//     micro --small    works on little data and prints `right` in place of values: for a machine without clocks
//
// Latency: one thread follows a chain; each load needs the word of the previous one. Value: clocks from load to load.
// Rate: a full grid reads, and sums what it reads, so that no load is optimized away. Value: bytes per time between two
// events. Every result is checked, measured or not: the end of a chain, a sum, a count.
#define PROGRAM "micro"
#include "program.h"

#include <string.h>
#include <time.h>

#define LINE 32         // words of a cache line; a chain has a link in each
#define SHARED_WORDS 4096
#define THREADS 1024

static int small;        // --small
static int processors;   // multiprocessors of the device
static void *arena;      // the measured memory
static unsigned *result; // one or two words that kernels store

// ---- rows

static void print_row(const char *what, size_t bytes, double value, const char *unit)
{
    put_row(what, bytes, 5, value, unit, small);
}

static uint64_t read_result(void)
{
    uint64_t value;
    cuda(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void clear_result(void)
{
    cuda(cudaMemset(result, 0, sizeof(uint64_t)));
}

// ---- latency

__device__ unsigned follow(const unsigned *next, unsigned at, int steps, int bypasses_l1)
{
    for (int i = 0; i < steps; i++)
        at = bypasses_l1 ? __ldcg(&next[at]) : next[at];
    return at;
}

// The clocks of `steps` links, after `warm` uncounted links. end: the last address of the chain.
__global__ void chase(const unsigned *next, int warm, int steps, int bypasses_l1, volatile unsigned *end,
                      long long *clocks)
{
    unsigned at = follow(next, 0, warm, bypasses_l1);
    long long begin = clock64();
    at = follow(next, at, steps, bypasses_l1);
    *end = at; // the clock is read after the last load
    *clocks = clock64() - begin;
}

__global__ void chase_shared(const unsigned *next, int steps, volatile unsigned *end, long long *clocks)
{
    __shared__ unsigned chain[SHARED_WORDS];
    for (int i = 0; i < SHARED_WORDS; i++)
        chain[i] = next[i];
    long long begin = clock64();
    unsigned at = 0;
    for (int i = 0; i < steps; i++)
        at = chain[at];
    *end = at;
    *clocks = clock64() - begin;
}

static uint64_t state = 1;

static size_t random_below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

// One ring through all `count` links, `stride` words apart, in random order (Sattolo), which no prefetcher predicts.
static unsigned *make_chain(size_t count, int stride)
{
    unsigned *order = (unsigned *)malloc(count * sizeof *order);
    unsigned *next = (unsigned *)calloc(count * (size_t)stride, sizeof *next);
    if (!order || !next)
        exit(fprintf(stderr, "micro: the host has no memory for %zu links\n", count));
    for (size_t i = 0; i < count; i++)
        order[i] = (unsigned)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = random_below(i);
        unsigned kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    for (size_t i = 0; i < count; i++)
        next[i * (size_t)stride] = order[i] * (unsigned)stride;
    free(order);
    return next;
}

static unsigned walk(const unsigned *next, int steps)
{
    unsigned at = 0;
    for (int i = 0; i < steps; i++)
        at = next[at];
    return at;
}

static void report_chase(const char *what, size_t bytes, const unsigned *next, int warm, int steps)
{
    long long clocks;
    unsigned end;
    cuda(cudaDeviceSynchronize());
    cuda(cudaMemcpy(&end, result, sizeof end, cudaMemcpyDeviceToHost));
    cuda(cudaMemcpy(&clocks, result + 2, sizeof clocks, cudaMemcpyDeviceToHost));
    expect(what, end, walk(next, warm + steps));
    print_row(what, bytes, (double)clocks / steps, "clocks");
}

// warm: this many links are followed first, so that a chain of that length is in the caches that can hold it.
static void measure_chase(const char *what, size_t bytes, int warm, int steps, int bypasses_l1)
{
    unsigned *next = make_chain(bytes / (LINE * sizeof *next), LINE);
    cuda(cudaMemcpy(arena, next, bytes, cudaMemcpyHostToDevice));
    cuda(cudaMemset((char *)arena + bytes, 0, bytes)); // evicts what the copy has left in L2
    chase<<<1, 1>>>((const unsigned *)arena, warm, steps, bypasses_l1, result, (long long *)(result + 2));
    cuda(cudaGetLastError());
    report_chase(what, bytes, next, warm, steps);
    free(next);
}

static void measure_shared_chase(int steps)
{
    unsigned *next = make_chain(SHARED_WORDS, 1);
    size_t bytes = SHARED_WORDS * sizeof *next;
    cuda(cudaMemcpy(arena, next, bytes, cudaMemcpyHostToDevice));
    chase_shared<<<1, 1>>>((const unsigned *)arena, steps, result, (long long *)(result + 2));
    cuda(cudaGetLastError());
    report_chase("latency of shared memory", bytes, next, 0, steps);
    free(next);
}

// ---- rates

static cudaEvent_t begin, end;

static double seconds(void)
{
    float ms = 0;
    cuda(cudaGetLastError());
    cuda(cudaEventRecord(end));
    cuda(cudaEventSynchronize(end));
    if (!small)
        cuda(cudaEventElapsedTime(&ms, begin, end));
    return ms / 1e3;
}

__device__ void add_to(unsigned *sum, unsigned part)
{
    for (int other = 16; other > 0; other /= 2)
        part += __shfl_xor_sync(~0u, part, other);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, part);
}

__global__ void number(unsigned *words, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (size_t)blockDim.x)
        words[i] = (unsigned)i;
}

// Reads all quads, a power of two, `rounds` times; each round begins at another quad, so that no loop is folded.
__global__ void __launch_bounds__(THREADS, 2) read_quads(const uint4 *quads, size_t count, int rounds, unsigned *sum)
{
    unsigned part = 0;
    for (int round = 0; round < rounds; round++)
#pragma unroll 4
        for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += gridDim.x * (size_t)THREADS) {
            uint4 quad = __ldcg(&quads[(i + (size_t)round * 32) & (count - 1)]);
            part += quad.x + quad.y + quad.z + quad.w;
        }
    add_to(sum, part);
}

__global__ void copy_quads(uint4 *to, const uint4 *from, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < count; i += gridDim.x * (size_t)THREADS)
        to[i] = from[i];
}

__global__ void read_shared(int rounds, unsigned *sum)
{
    __shared__ uint4 quads[THREADS];
    unsigned part = 0, t = threadIdx.x;
    quads[t] = make_uint4(t, t, t, t);
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        uint4 quad = quads[(t + round) % THREADS];
        part += quad.x + quad.y + quad.z + quad.w;
    }
    add_to(sum, part);
}

// The sum of 0 to count - 1 in 32-bit words.
static unsigned sum_below(uint64_t count)
{
    return (unsigned)(count % 2 ? (count - 1) / 2 * count : count / 2 * (count - 1));
}

static void measure_read(const char *what, size_t bytes, int rounds)
{
    number<<<2 * processors, THREADS>>>((unsigned *)arena, bytes / 4);
    read_quads<<<2 * processors, THREADS>>>((const uint4 *)arena, bytes / 16, 1, result); // warms up
    clear_result();
    cuda(cudaEventRecord(begin));
    read_quads<<<2 * processors, THREADS>>>((const uint4 *)arena, bytes / 16, rounds, result);
    double time = seconds();
    expect(what, (unsigned)read_result(), (unsigned)rounds * sum_below(bytes / 4));
    print_row(what, bytes, (double)bytes * rounds / time / 1e9, "GB/s");
}

static void measure_copy(size_t bytes)
{
    uint4 *from = (uint4 *)arena, *to = from + bytes / 16;
    number<<<2 * processors, THREADS>>>((unsigned *)from, bytes / 4);
    copy_quads<<<2 * processors, THREADS>>>(to, from, bytes / 16);
    cuda(cudaMemset(to, 0, bytes));
    cuda(cudaEventRecord(begin));
    copy_quads<<<2 * processors, THREADS>>>(to, from, bytes / 16);
    double time = seconds();
    clear_result();
    read_quads<<<2 * processors, THREADS>>>(to, bytes / 16, 1, result);
    expect("rate of copying", (unsigned)read_result(), sum_below(bytes / 4));
    print_row("rate of copying in device memory: read and written", bytes, 2.0 * (double)bytes / time / 1e9, "GB/s");
}

static void measure_shared(int rounds)
{
    int blocks = 2 * processors;
    double bytes = (double)blocks * THREADS * 16 * rounds;
    clear_result();
    cuda(cudaEventRecord(begin));
    read_shared<<<blocks, THREADS>>>(rounds, result);
    double time = seconds();
    expect("rate of shared memory", (unsigned)read_result(), (unsigned)(blocks * rounds * 4) * sum_below(THREADS));
    print_row("rate of all shared memories", THREADS * 16, bytes / time / 1e9, "GB/s");
}

// ---- atomics and launches

// 64 bits, because the compiler would combine a warp's 32-bit additions. stride 0: all threads add to one word.
__global__ void add_global(unsigned long long *words, int stride, int rounds)
{
    size_t at = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * stride;
    for (int round = 0; round < rounds; round++)
        atomicAdd(&words[at], 1 + threadIdx.x % 2);
}

__global__ void add_shared(unsigned long long *sum, int rounds)
{
    __shared__ unsigned long long word;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    for (int round = 0; round < rounds; round++)
        atomicAdd(&word, 1 + threadIdx.x % 2);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, word);
}

static void report_atomics(const char *what, double adds)
{
    double time = seconds();
    print_row(what, 8, adds / time / 1e9, "billion/s");
}

static void measure_atomics(int rounds)
{
    unsigned long long *words = (unsigned long long *)arena;
    int blocks = 2 * processors;
    uint64_t adds = (uint64_t)blocks * THREADS * (unsigned)rounds;
    clear_result();
    cuda(cudaEventRecord(begin));
    add_global<<<blocks, THREADS>>>((unsigned long long *)result, 0, rounds);
    report_atomics("atomic additions to one word of global memory", (double)adds);
    expect("atomics on one word", read_result(), adds / 2 * 3);
    cuda(cudaMemset(words, 0, (size_t)blocks * THREADS * 8));
    cuda(cudaEventRecord(begin));
    add_global<<<blocks, THREADS>>>(words, 1, rounds);
    report_atomics("atomic additions to neighbouring words of global memory", (double)adds);
    cuda(cudaMemcpy(result, words + 1, 8, cudaMemcpyDeviceToDevice));
    expect("atomics on many words", read_result(), 2 * (uint64_t)rounds);
    clear_result();
    cuda(cudaEventRecord(begin));
    add_shared<<<blocks, THREADS>>>((unsigned long long *)result, rounds);
    report_atomics("atomic additions to a word of shared memory in each block", (double)adds);
    expect("atomics in shared memory", read_result(), adds / 2 * 3);
}

__global__ void count_launch(unsigned *launches)
{
    *launches += 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure_launches(int count)
{
    clear_result();
    count_launch<<<1, 1>>>(result);
    cuda(cudaDeviceSynchronize());
    double begun = now();
    for (int i = 0; i < count; i++)
        count_launch<<<1, 1>>>(result);
    cuda(cudaGetLastError());
    cuda(cudaDeviceSynchronize());
    double queued = now() - begun;
    begun = now();
    for (int i = 0; i < count; i++) {
        count_launch<<<1, 1>>>(result);
        cuda(cudaDeviceSynchronize());
    }
    expect("launches", read_result(), 1 + 2 * (uint64_t)count);
    print_row("a launch among many", 0, queued / count * 1e6, "us");
    print_row("a launch and the wait for it", 0, (now() - begun) / count * 1e6, "us");
}

// ---- all of it

static int attribute(enum cudaDeviceAttr which)
{
    int value;
    cuda(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void prepare(size_t bytes)
{
    processors = attribute(cudaDevAttrMultiProcessorCount);
    cuda(cudaMalloc(&arena, bytes));
    cuda(cudaMalloc((void **)&result, 4 * sizeof *result));
    cuda(cudaEventCreate(&begin));
    cuda(cudaEventCreate(&end));
    printf("what,bytes,value,unit\n");
    print_row("multiprocessors", 0, processors, "");
    print_row("highest clock", 0, attribute(cudaDevAttrClockRate) / 1e3, "MHz");
    print_row("L2 cache as the device reports it", (size_t)attribute(cudaDevAttrL2CacheSize),
              attribute(cudaDevAttrL2CacheSize) / 1048576.0, "MB");
}

int main(int argc, char **argv)
{
    small = argc > 1 && !strcmp(argv[1], "--small");
    if (argc > 1 + small)
        return fprintf(stderr, "usage: micro [--small]\n"), 1;
    size_t large = small ? 1 << 18 : (size_t)1 << 30, middle = small ? 1 << 16 : (size_t)16 << 20;
    int links = (int)(middle / 2 / (LINE * 4)), steps = small ? 100 : 4096, rounds = small ? 2 : 256;
    prepare(2 * large > (size_t)1 << 24 ? 2 * large : (size_t)1 << 24);
    measure_shared_chase(steps);
    measure_chase("latency of the L1 cache", 16 << 10, 128, steps, 0);
    measure_chase("latency of the L2 cache", middle / 2, links, steps, 1);
    measure_chase("latency of device memory with its page table", large, 16, steps, 1);
    measure_shared(small ? 2 : 1 << 14);
    measure_read("rate of reading the L2 cache", middle, rounds);
    measure_read("rate of reading device memory", large, small ? 1 : 4);
    measure_copy(large);
    measure_atomics(rounds);
    measure_launches(small ? 3 : 1000);
    return 0;
}
