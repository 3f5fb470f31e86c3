// What a core executes: lane-instructions per second of two loops, by the machine's own counters and the host's time.
//
//     alu       integer multiply-add, exclusive or, shift and float multiply-add on registers
//     shared    load, add and store of a word per thread without bank conflicts, then a barrier
//
// Prints one line per loop: its name and 10^9 lane-instructions per second, the best of the given repetitions (default
// 20). SIMT_THREADS says how many host threads share the work.
#include "simt.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 256
#define GRID 32
#define ROUNDS 64

__global__ void alu(unsigned *out, unsigned seed)
{
    unsigned x = seed + threadIdx.x, y = blockIdx.x;
    float f = (float)threadIdx.x;

#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        x = x * 1664525u + 1013904223u;
        f = f * 0.5f + 1.0f;
        y ^= x >> 7;
        x = x * y + (unsigned)i;
        f = f * 1.5f - 2.0f;
        y ^= x << 3;
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = x ^ y ^ __float_as_uint(f);
}

__global__ void shared(unsigned *out, unsigned seed)
{
    __shared__ unsigned cache[BLOCK];
    int tid = threadIdx.x;

    cache[tid] = seed + tid;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        cache[tid] += (unsigned)i;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + tid] = cache[tid];
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Runs one launch: returns its lane-instructions per second.
static double rate(void (*kernel)(unsigned *, unsigned), unsigned *d_out)
{
    struct simt_counters before, after;
    simt_read(&before);
    double start = now();
    kernel<<<GRID, BLOCK>>>(d_out, 1);
    if (cudaDeviceSynchronize())
        exit(1);
    double seconds = now() - start;
    simt_read(&after);
    return (double)(after.thread_instructions - before.thread_instructions) / seconds;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(unsigned *, unsigned);
    } loops[] = {{"alu", alu}, {"shared", shared}};
    int repetitions = argc > 1 ? atoi(argv[1]) : 20;
    unsigned *d_out;
    if (cudaMalloc(&d_out, GRID * BLOCK * sizeof *d_out))
        return 1;
    for (int k = 0; k < 2; k++) {
        double best = 0;
        for (int r = 0; r < repetitions; r++) {
            double got = rate(loops[k].kernel, d_out);
            best = got > best ? got : best;
        }
        printf("%s %.2f\n", loops[k].name, best * 1e-9);
    }
    return 0;
}
