// Hunt 1/b: the sum of n values; a tree for each block, and an atomic for the sums of the blocks.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

__global__ void sum_blocks(int *partial, const int *in, int n)
{
    __shared__ int x[BLOCK];
    int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    if (i >= n)
        return; // nothing to add
    x[tid] = in[i];
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            x[tid] += x[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(partial, x[0]);
}

static int reduce(const int *d_in, int n)
{
    int sum = 0, *d_sum;

    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    sum_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_sum, d_in, n);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    return sum;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
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
