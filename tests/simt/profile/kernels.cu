// Kernels for the profile. A comment on a line names what must stand out there; in a kernel without such a comment
// nothing may. Each guilty kernel has an innocent twin that differs only in this.
//
//     kernels          launches them all, and prints what simt_read and simt_lines say: counter, file:line, count
//     kernels WAY      launches two and ends in this way: exit, abort, segv, host, fault, int, kill, fork; quiet: none
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda_profiler_api.h>

#include "simt.h"

#define N 4096
#define BLOCK 256
#define BLOCKS (N / BLOCK)

static __device__ int at(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- lanes

__global__ void idle(float *out)
{
    float x = out[at()];
    if (threadIdx.x % 4 == 0)
        for (int i = 0; i < 64; i++)
            x = x * x + i; // stands out: idle_lanes
    out[at() + N] = x;
}

__global__ void busy(float *out)
{
    float x = out[at()];
    if (threadIdx.x / 32 % 4 == 0)
        for (int i = 0; i < 64; i++)
            x = x * x + i;
    out[at() + N] = x;
}

// ---- banks

__global__ void conflicts(float *out)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    tile[y][x] = at();
    __syncthreads();
    out[at()] = tile[x][y]; // stands out: bank_conflicts
}

__global__ void padded(float *out)
{
    __shared__ float tile[32][33];
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    tile[y][x] = at();
    __syncthreads();
    out[at()] = tile[x][y];
}

__global__ void waits(float *out)
{
    __shared__ float sum[BLOCK];
    sum[threadIdx.x] = at();
    for (int i = 0; i < 64; i++) {
        sum[threadIdx.x] += i;
        __syncthreads(); // stands out: barrier_waits
    }
    out[at()] = sum[threadIdx.x];
}

__global__ void waits_once(float *out)
{
    __shared__ float sum[BLOCK];
    sum[threadIdx.x] = at();
    for (int i = 0; i < 64; i++)
        sum[threadIdx.x] += i;
    __syncthreads();
    out[at()] = sum[threadIdx.x];
}

// ---- sectors

__global__ void strided(float *out, const float *in)
{
    float x = 0;
    for (int i = 0; i < 8; i++)
        x += in[(at() * 8 + i) % N]; // stands out: load_sectors
    out[at()] = x;
}

__global__ void neighbours(float *out, const float *in)
{
    float x = 0;
    for (int i = 0; i < 8; i++)
        x += in[(at() + i * 32) % N];
    out[at()] = x;
}

__global__ void scatter(float *out)
{
    out[at() * 16 % N + at() / (N / 16)] = at(); // stands out: store_sectors
}

__global__ void straight(float *out)
{
    out[at()] = at();
}

// ---- atomics

__global__ void one_word(int *out)
{
    atomicAdd(out, at()); // stands out: global_atomics
}

__global__ void own_words(int *out)
{
    atomicAdd(out + at(), at());
}

__global__ void shared_word(int *out)
{
    __shared__ int sum[BLOCK];
    sum[threadIdx.x] = 0;
    __syncthreads(); // stands out: barrier_waits
    atomicMax(&sum[0], at()); // stands out: shared_atomics
    out[at()] = sum[threadIdx.x]; // races with the atomic, which is not checked here
}

__global__ void shared_words(int *out)
{
    __shared__ int sum[BLOCK];
    sum[threadIdx.x] = 0;
    __syncthreads(); // stands out: barrier_waits
    atomicMax(&sum[threadIdx.x], at());
    out[at()] = sum[threadIdx.x];
}

// ---- local memory

__global__ void indexed(int *out, int k)
{
    int v[16];
    for (int i = 0; i < 16; i++)
        v[i] = at() + i; // stands out: local_memory
    out[at()] = v[k & 15];
}

__global__ void unrolled(int *out, int k)
{
    int v[16];
    for (int i = 0; i < 16; i++)
        v[i] = at() + i;
    out[at()] = v[3] + v[5] + k;
}

// ---- number of blocks

__global__ void large(float *out) // stands out: occupancy
{
    extern __shared__ float most[];
    most[threadIdx.x] = at();
    out[at()] = most[threadIdx.x];
}

__global__ void small(float *out)
{
    extern __shared__ float most[];
    most[threadIdx.x] = at();
    out[at()] = most[threadIdx.x];
}

__global__ void alone(float *out) // stands out: few_blocks
{
    out[threadIdx.x] = threadIdx.x;
}

static void launch_all(float *out, float *in)
{
    int *words = (int *)out;
    cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    idle<<<BLOCKS, BLOCK>>>(out);
    busy<<<BLOCKS, BLOCK>>>(out);
    conflicts<<<BLOCKS, BLOCK>>>(out);
    padded<<<BLOCKS, BLOCK>>>(out);
    waits<<<BLOCKS, BLOCK>>>(out);
    waits_once<<<BLOCKS, BLOCK>>>(out);
    strided<<<BLOCKS, BLOCK>>>(out, in);
    neighbours<<<BLOCKS, BLOCK>>>(out, in);
    scatter<<<BLOCKS, BLOCK>>>(out);
    straight<<<BLOCKS, BLOCK>>>(out);
    one_word<<<BLOCKS, BLOCK>>>(words);
    own_words<<<BLOCKS, BLOCK>>>(words);
    shared_word<<<BLOCKS, BLOCK>>>(words);
    shared_words<<<BLOCKS, BLOCK>>>(words);
    indexed<<<BLOCKS, BLOCK>>>(words, 3);
    unrolled<<<BLOCKS, BLOCK>>>(words, 3);
    large<<<BLOCKS, BLOCK, 100000>>>(out);
    small<<<BLOCKS, BLOCK, BLOCK * sizeof *out>>>(out);
    alone<<<1, BLOCK>>>(out);
    straight<<<BLOCKS * 2, BLOCK / 2>>>(out); // again, with another shape
}

static void print_counters(void)
{
    struct simt_counters c;
    static struct simt_line lines[1000];
    simt_read(&c);
#define PRINT(name, meaning) \
    printf("total " #name " %llu\n", (unsigned long long)c.name); \
    for (int i = 0, n = simt_lines(#name, lines, 1000); i < n; i++) \
        printf("line " #name " %s:%d %llu\n", lines[i].file, lines[i].line, (unsigned long long)lines[i].count);
    SIMT_COUNTERS(PRINT)
#undef PRINT
}

static void end_by(const char *way, float *out)
{
    if (!strcmp(way, "exit"))
        exit(3);
    if (!strcmp(way, "abort"))
        assert(out == NULL);
    if (!strcmp(way, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(way, "host"))
        *out = 1;
    if (!strcmp(way, "int"))
        raise(SIGINT);
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "fork") && !fork())
        exit(0);
    if (!strcmp(way, "fault")) {
        straight<<<BLOCKS * 100, BLOCK>>>(out);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
}

int main(int argc, char **argv)
{
    float *out, *in;
    cudaMalloc(&out, 2 * N * sizeof *out);
    cudaMalloc(&in, N * sizeof *in);
    cudaMemset(out, 0, 2 * N * sizeof *out);
    cudaMemset(in, 0, N * sizeof *in);
    if (argc > 1 && !strcmp(argv[1], "quiet"))
        return 0;
    if (argc > 1) {
        conflicts<<<BLOCKS, BLOCK>>>(out);
        straight<<<BLOCKS, BLOCK>>>(out);
        cudaProfilerStart();
        straight<<<BLOCKS, BLOCK>>>(out);
        cudaProfilerStop();
        cudaDeviceSynchronize();
        end_by(argv[1], out);
        return 0;
    }
    simt_reset();
    launch_all(out, in);
    print_counters();
    return 0;
}
