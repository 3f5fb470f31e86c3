// Registers, as given by machine code next to the PTX: in a kernel's attributes, occupancy and launches. Compiled again
// without machine code, with -DUNKNOWN: then no launch is refused for registers.
#include <stdio.h>

#include "simt.h"

#define CHECK(condition) check(condition, __LINE__, #condition)

static int failures;

static void check(bool holds, int line, const char *what)
{
    if (!holds) {
        printf("%s:%d: does not hold: %s\n", __FILE__, line, what);
        failures++;
    }
}

// More than 64 values are live at once, so a block of 1024 threads does not fit the register file.
#define LIVE 96

static __device__ void turn(float *out, const float *in)
{
    float v[LIVE];
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        v[k] = in[k * 32 + threadIdx.x % 32];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        out[k * 1024 + threadIdx.x] = v[LIVE - 1 - k] - (float)k * v[k];
}

__global__ void hungry(float *out, const float *in)
{
    turn(out, in);
}

__global__ void __launch_bounds__(1024) bounded(float *out, const float *in)
{
    turn(out, in);
}

__global__ void modest(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

static cudaError_t launch(void (*kernel)(float *, const float *), int threads, float *d_out, const float *d_in)
{
    kernel<<<1, threads>>>(d_out, d_in);
    cudaError_t e = cudaGetLastError();
    return e ? e : cudaDeviceSynchronize();
}

static int resident(void (*kernel)(float *, const float *), int threads)
{
    int blocks = -1;
    CHECK(!cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return blocks;
}

static void test_known(float *d_out, const float *d_in)
{
    cudaFuncAttributes a;
    CHECK(!cudaFuncGetAttributes(&a, hungry));
    CHECK(a.numRegs > 64 && a.numRegs <= 255 && a.maxThreadsPerBlock < 1024);
    int most = a.maxThreadsPerBlock, unit = (a.numRegs * 32 + 255) / 256 * 256;
    CHECK(most % 32 == 0 && most / 32 * unit <= 65536);
    CHECK(launch(hungry, 1024, d_out, d_in) == cudaErrorLaunchOutOfResources);
    CHECK(resident(hungry, 1024) == 0);
    CHECK(launch(hungry, most, d_out, d_in) == cudaSuccess);
    CHECK(resident(hungry, most) == 1);
    CHECK(!cudaFuncGetAttributes(&a, bounded) && a.numRegs <= 64 && a.maxThreadsPerBlock == 1024);
    CHECK(launch(bounded, 1024, d_out, d_in) == cudaSuccess);
    CHECK(!cudaFuncGetAttributes(&a, modest) && a.numRegs < 32 && resident(modest, 1024) == 2);
    CHECK(launch(modest, 1024, d_out, d_in) == cudaSuccess);
}

int main(void)
{
    float *d_out, *d_in;
    CHECK(!cudaMalloc(&d_out, LIVE * 1024 * sizeof *d_out));
    CHECK(!cudaMalloc(&d_in, LIVE * 1024 * sizeof *d_in));
    CHECK(!cudaMemset(d_in, 0, LIVE * 1024 * sizeof *d_in));
#ifdef UNKNOWN
    CHECK(launch(hungry, 1024, d_out, d_in) == cudaSuccess);
    CHECK(resident(hungry, 1024) == 2);
    (void)test_known;
#else
    test_known(d_out, d_in);
#endif
    cudaFree(d_out);
    cudaFree(d_in);
    printf("%d failed\n", failures);
    return failures != 0;
}
