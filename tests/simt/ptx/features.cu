// Variables with initialisers, calls, scopes and inline assembly.
#include <stdio.h>

typedef int (*function)(int);

struct __attribute__((packed)) record {
    char tag;
    int *target;
    short number;
};

struct big {
    int a[20];
    double b;
};

__device__ int twice(int x)
{
    return x * 2;
}

__device__ int threefold(int x)
{
    return x * 3;
}

__device__ int cells[10];
__device__ float floats[3] = {1.0f, 2.5f, -3.0f};
__device__ double doubles[2][2] = {{1, 2}, {3, 4}};
__constant__ int numbers[5] = {1, 2, 3};
__managed__ int managed = 9;
__device__ float *pointers[3] = {floats, floats + 1, nullptr};
__device__ record packed = {'x', &cells[3], 7};
__device__ function functions[2] = {twice, threefold};
extern __shared__ float dynamic[];

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void __launch_bounds__(128, 2) features(big value, int *out, int n)
{
    __shared__ int tile[4][8];
    int copy[16];
    int t;

    for (int i = 0; i < 16; i++)
        copy[i] = out[i];
    tile[threadIdx.x & 3][threadIdx.y & 7] = copy[out[0]];
    dynamic[threadIdx.x] = floats[n] + *pointers[n];
    __syncthreads();
    out[n] += tile[1][n & 7] + (int)dynamic[3] + value.a[n] + numbers[n] + managed + packed.number;
    out[1] = functions[n & 1](n) + fibonacci(n) + (int)doubles[n][1];
    printf("%d %f\n", n, 2.0);
    asm volatile("{ .reg .pred p; .reg .b32 t; setp.lt.s32 p, %1, 5; selp.b32 t, 1, 2, p; @p add.s32 t, t, 1; "
                 "mov.b32 %0, t; }"
                 : "=r"(t)
                 : "r"(n));
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 5; @p bra DONE; add.s32 %0, %0, 1; DONE: }" : "+r"(t) : "r"(n));
    out[2] = t;
}
