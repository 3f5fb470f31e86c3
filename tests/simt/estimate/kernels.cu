// Kernels with a known limit, in pairs: the second of a pair does the same work without what limits the first. Also
// pairs in which one takes a known multiple of the other's time. cases.sh runs them by name and checks the estimate.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 256
#define BLOCKS (132 * 8)

static void cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

__device__ unsigned thread(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void read(float *out, const float4 *from, int count)
{
    float sum = 0;
    for (int i = thread(); i < count; i += gridDim.x * blockDim.x)
        sum += from[i].x + from[i].w;
    out[thread()] = sum;
}

// Each load needs the previous one.
__global__ void follow(unsigned *end, const unsigned *next, int steps)
{
    unsigned at = thread() % 64;
    for (int i = 0; i < steps; i++)
        at = next[at];
    end[thread()] = at;
}

__global__ void add_to_words(unsigned *words, int stride, int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomicAdd(&words[thread() * stride], thread() % 3);
}

// The assembler sees that all lanes add to one word, and sums them first.
__global__ void add_to_word(unsigned *word, int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomicAdd(word, thread() % 3);
}

// stride 32: all lanes in one bank.
__global__ void use_shared(float *out, int stride, int rounds)
{
    __shared__ float words[32 * 32];
    float sum = 0;
    for (int i = threadIdx.x; i < 32 * 32; i += THREADS)
        words[i] = i;
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < rounds; i++)
        sum += words[(threadIdx.x * stride + i) % (32 * 32)];
    out[thread()] = sum;
}

// Words of a table in constant memory, at addresses that are known only at run time.
__constant__ unsigned table[16384];

__global__ void look_up(unsigned *out, int stride, int step, int span, int rounds)
{
    unsigned sum = 0;
#pragma unroll 4
    for (int i = 0; i < rounds; i++)
        sum += table[(threadIdx.x % 32 * stride + i * step) & (span - 1)];
    out[thread()] = sum;
}

// The first words of it: ptxas makes them operands of the additions.
__global__ void add_constants(unsigned *out, int rounds)
{
    unsigned sum = thread();
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum = (sum ^ table[k]) + i;
    out[thread()] = sum;
}

// The same without the table.
__global__ void add_numbers(unsigned *out, int rounds)
{
    unsigned sum = thread();
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum = (sum ^ (0x9e3779b1u * k + rounds)) + i;
    out[thread()] = sum;
}

__global__ void multiply(float *out, float b, int rounds)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            x[k] = x[k] * b + 1;
    for (int k = 1; k < 8; k++)
        x[0] += x[k];
    out[thread()] = x[0];
}

__global__ void roots(float *out, float b, int rounds)
{
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("rsqrt.approx.f32 %0, %0;" : "+f"(x[k]));
    for (int k = 1; k < 8; k++)
        x[0] += x[k];
    out[thread()] = x[0] * b;
}

// A barrier between rounds of arithmetic: blocks that began together stay in step.
__global__ void rounds_with_barriers(unsigned *out, int rounds)
{
    unsigned x[4] = {thread(), 1, 2, 3};
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            for (int j = 0; j < 4; j++)
                x[j] = x[j] * 5 + i;
        __syncthreads();
    }
    out[thread()] = x[0] + x[1] + x[2] + x[3];
}

// One warp in eight has work. The others jump around a long body; a short one is predicated, and they issue it.
template <bool is_long> __global__ void skip(unsigned *out, int rounds)
{
    __shared__ unsigned words[THREADS];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x < 32) {
            unsigned sum = words[threadIdx.x] + words[threadIdx.x + 32];
            if (is_long)
                asm volatile(
                    "{ mul.lo.u32 %0, %0, 3; mul.lo.u32 %0, %0, 5; mul.lo.u32 %0, %0, 3; mul.lo.u32 %0, %0, 5; }"
                    : "+r"(sum));
            words[threadIdx.x] = sum;
        }
        __syncthreads();
    }
    out[thread()] = words[threadIdx.x];
}

// Bank conflicts, then equally long waits for the L2 cache, with as many blocks as a multiprocessor holds.
__global__ void two_phases(unsigned *out, const unsigned *next, int rounds)
{
    __shared__ unsigned words[32 * 32];
    unsigned at = 0;
    for (int i = 0; i < 32; i++)
        words[i * 32 + threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        at += words[threadIdx.x * 32];
        __syncthreads();
        for (int k = 0; k < 4; k++)
            at = next[at + ((i * 4 + k) << 10)]; // a different line each time
        __syncthreads();
    }
    out[thread()] = at;
}

// A row needs two loads with an IEEE division between them; ptxas moves the second load only across an approximate one.
template <bool exact> __global__ void divide_rows(float *out, const float *a, const float *b, int rows)
{
    float c = 0;
    for (int i = 0; i < rows; i++) {
        int at = i * gridDim.x * blockDim.x + thread();
        float k = exact ? 1 / (a[at] - c) : __fdividef(1, a[at] - c);
        c = b[at] * k;
        out[at] = c;
    }
}

// Rounds of logic: of one operation; of two that ptxas joins; and of three, where the others read the first.
enum operations { ONE, PAIR, SHARED };

template <enum operations which> __global__ void logic(unsigned *out, unsigned a, unsigned b, int rounds)
{
    unsigned x = thread(), y = 0;
#pragma unroll 16
    for (int i = 0; i < rounds; i++) {
        if (which == ONE)
            asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(b));
        else if (which == PAIR)
            asm volatile("{ .reg .b32 t; and.b32 t, %0, %1; xor.b32 %0, t, %2; }" : "+r"(x) : "r"(a), "r"(b));
        else
            asm volatile("{ .reg .b32 t; and.b32 t, %0, %2; xor.b32 %0, t, %3; xor.b32 %1, %1, t; }"
                         : "+r"(x), "+r"(y)
                         : "r"(a), "r"(b));
    }
    out[thread()] = x + y;
}

// Each warp sums rows of 32 words: warps of a block share rows, concurrently or in turns, or each has its own. Blocks
// on one multiprocessor use different rows.
enum rows { SAME, IN_TURNS, OWN };

template <enum rows which> __global__ void add_rows(float *out, const float *in, int rows)
{
    const float *block = in + (size_t)(blockIdx.x % 64) * 2048 * 32;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0;
    for (int turn = 0; turn < (which == IN_TURNS ? 8 : 1); turn++) {
        int end = which != IN_TURNS || turn == warp ? rows : 0;
#pragma unroll 16
        for (int i = 0; i < end; i++)
            sum += block[(which == OWN ? i * 8 + warp : i) * 32 + lane];
        __syncthreads();
    }
    out[thread()] = sum;
}

// Each block waits for the previous one: a chain through all.
__global__ void chain(volatile unsigned *flags)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && !flags[blockIdx.x - 1])
            ;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

// The same, but no block waits.
__global__ void no_chain(volatile unsigned *flags)
{
    if (threadIdx.x == 0) {
        unsigned seen = blockIdx.x > 0 ? flags[blockIdx.x - 1] : 0;
        __threadfence();
        flags[blockIdx.x] = 1 + seen / 2;
    }
}

__global__ void nothing(void)
{
}

static void launch_many(int count)
{
    for (int i = 0; i < count; i++)
        nothing<<<1, 32>>>();
}

static void *memory(size_t bytes)
{
    void *p;
    cuda(cudaMalloc(&p, bytes));
    cuda(cudaMemset(p, 0, (size_t)1 << 20)); // flags; the other words read do not matter
    return p;
}

static void run(const char *name, int n)
{
    size_t bytes = (size_t)64 << 20;
    float *a = (float *)memory(bytes), *b = (float *)memory(bytes);
    cuda(cudaDeviceSynchronize());
    cuda(cudaProfilerStart());
    if (!strcmp(name, "read"))
        read<<<BLOCKS, THREADS>>>(a, (float4 *)b, n);
    else if (!strcmp(name, "follow"))
        follow<<<1, 32>>>((unsigned *)a, (unsigned *)b, n);
    else if (!strcmp(name, "one_word"))
        add_to_words<<<BLOCKS, THREADS>>>((unsigned *)a, 0, n);
    else if (!strcmp(name, "known_word"))
        add_to_word<<<BLOCKS, THREADS>>>((unsigned *)a, n);
    else if (!strcmp(name, "own_words"))
        add_to_words<<<BLOCKS, THREADS>>>((unsigned *)a, 1, n);
    else if (!strcmp(name, "one_bank"))
        use_shared<<<BLOCKS, THREADS>>>(a, 32, n);
    else if (!strcmp(name, "all_banks"))
        use_shared<<<BLOCKS, THREADS>>>(a, 1, n);
    else if (!strcmp(name, "one_constant"))
        look_up<<<BLOCKS, THREADS>>>((unsigned *)a, 0, 16, 256, n);
    else if (!strcmp(name, "own_constants"))
        look_up<<<BLOCKS, THREADS>>>((unsigned *)a, 1, 16, 256, n);
    else if (!strcmp(name, "many_constants"))
        look_up<<<BLOCKS, THREADS>>>((unsigned *)a, 0, 16, 16384, n);
    else if (!strcmp(name, "known_constants"))
        add_constants<<<BLOCKS, THREADS>>>((unsigned *)a, n);
    else if (!strcmp(name, "no_constants"))
        add_numbers<<<BLOCKS, THREADS>>>((unsigned *)a, n);
    else if (!strcmp(name, "multiply"))
        multiply<<<BLOCKS, THREADS>>>(a, 0.5f, n);
    else if (!strcmp(name, "roots"))
        roots<<<BLOCKS, THREADS>>>(a, 0.5f, n);
    else if (!strcmp(name, "few_threads"))
        multiply<<<132, 32>>>(a, 0.5f, n);
    else if (!strcmp(name, "in_step"))
        rounds_with_barriers<<<BLOCKS, THREADS>>>((unsigned *)a, n);
    else if (!strcmp(name, "apart"))
        rounds_with_barriers<<<132, 32>>>((unsigned *)a, n);
    else if (!strcmp(name, "skip_short"))
        skip<false><<<BLOCKS, THREADS>>>((unsigned *)a, n);
    else if (!strcmp(name, "skip_long"))
        skip<true><<<BLOCKS, THREADS>>>((unsigned *)a, n);
    else if (!strcmp(name, "two_phases"))
        two_phases<<<132 * 32 * n, 32>>>((unsigned *)a, (unsigned *)b, 8);
    else if (!strcmp(name, "one_operation"))
        logic<ONE><<<BLOCKS, THREADS>>>((unsigned *)a, 0xffff, 1, n);
    else if (!strcmp(name, "pair"))
        logic<PAIR><<<BLOCKS, THREADS>>>((unsigned *)a, 0xffff, 1, n);
    else if (!strcmp(name, "shared_operation"))
        logic<SHARED><<<BLOCKS, THREADS>>>((unsigned *)a, 0xffff, 1, n);
    else if (!strcmp(name, "same_rows"))
        add_rows<SAME><<<BLOCKS, THREADS>>>(a, b, n);
    else if (!strcmp(name, "rows_in_turns"))
        add_rows<IN_TURNS><<<BLOCKS, THREADS>>>(a, b, n);
    else if (!strcmp(name, "own_rows"))
        add_rows<OWN><<<BLOCKS, THREADS>>>(a, b, n);
    else if (!strcmp(name, "divide"))
        divide_rows<true><<<32, 128>>>(a, b, (float *)((char *)b + bytes / 2), n);
    else if (!strcmp(name, "divide_about"))
        divide_rows<false><<<32, 128>>>(a, b, (float *)((char *)b + bytes / 2), n);
    else if (!strcmp(name, "chain"))
        chain<<<n, 32>>>((unsigned *)a);
    else if (!strcmp(name, "no_chain"))
        no_chain<<<n, 32>>>((unsigned *)a);
    else if (!strcmp(name, "launches"))
        launch_many(n);
    else
        exit(fprintf(stderr, "no kernel %s\n", name));
    cuda(cudaGetLastError());
    cuda(cudaDeviceSynchronize());
    cuda(cudaProfilerStop());
    cuda(cudaFree(a));
    cuda(cudaFree(b));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fprintf(stderr, "usage: kernels NAME N\n"), 1;
    run(argv[1], atoi(argv[2]));
    return 0;
}
