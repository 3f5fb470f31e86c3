// Hunt 3/a: a histogram of n values below `values`, which is at most 256; each
// block counts in shared memory.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

__global__ void count(unsigned int *counts, const unsigned char *in, int n, int values)
{
    __shared__ unsigned int bins[256];
    int tid = threadIdx.x;

    if (tid < values)
        bins[tid] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    for (int b = tid; b < values; b += BLOCK)
        atomicAdd(&counts[b], bins[b]);
}

static void histogram(unsigned int *counts, const unsigned char *d_in, int n, int values)
{
    unsigned int *d_counts;

    cudaMalloc(&d_counts, values * sizeof *d_counts);
    cudaMemset(d_counts, 0, values * sizeof *d_counts);
    count<<<4, BLOCK>>>(d_counts, d_in, n, values);
    cudaMemcpy(counts, d_counts, values * sizeof *d_counts, cudaMemcpyDeviceToHost);
    cudaFree(d_counts);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000, values = argc > 2 ? atoi(argv[2]) : 100, wrong = 0;
    unsigned char *in = (unsigned char *)malloc(n), *d_in;
    unsigned int wanted[256] = {0}, got[256];

    srand(1);
    for (int i = 0; i < n; i++) {
        in[i] = rand() % values;
        wanted[in[i]]++;
    }
    cudaMalloc(&d_in, n);
    cudaMemcpy(d_in, in, n, cudaMemcpyHostToDevice);
    histogram(got, d_in, n, values);
    for (int b = 0; b < values; b++)
        wrong += got[b] != wanted[b];
    cudaFree(d_in);
    free(in);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
