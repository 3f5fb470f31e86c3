// Hunt 1/a: the sum of n values; the last block to finish adds up the sums of all blocks.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

__device__ unsigned int finished; // blocks that have stored their sum

static __device__ int sum_block(int value)
{
    __shared__ int x[BLOCK];
    int tid = threadIdx.x;

    x[tid] = value;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            x[tid] += x[tid + stride];
        __syncthreads();
    }
    value = x[0];
    __syncthreads();
    return value;
}

__global__ void sum_all(int *sum, volatile int *partial, const int *in, int n)
{
    __shared__ bool last;
    int i = blockIdx.x * BLOCK + threadIdx.x, value = sum_block(i < n ? in[i] : 0);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    value = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += BLOCK)
        value += partial[b];
    value = sum_block(value);
    if (threadIdx.x == 0) {
        *sum = value;
        finished = 0;
    }
}

static int reduce(const int *d_in, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK, sum, *d_sum, *d_partial;

    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMalloc(&d_partial, blocks * sizeof *d_partial);
    sum_all<<<blocks, BLOCK>>>(d_sum, d_partial, d_in, n);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    cudaFree(d_partial);
    return sum;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *d_in;
    long long sum = 0;

    srand(seed);
    for (int i = 0; i < n; i++) {
        in[i] = rand() % 100;
        sum += in[i];
    }
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    wrong += reduce(d_in, n) != sum;
    wrong += reduce(d_in, n) != sum;
    cudaFree(d_in);
    free(in);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
