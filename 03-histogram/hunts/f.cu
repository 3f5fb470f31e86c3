// Hunt 3/f: a histogram of n measurements from 0 to 1 in 64 classes of equal width.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define CLASSES 64

__global__ void count(unsigned int *counts, const float *in, int n)
{
    __shared__ unsigned int bins[CLASSES];
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (threadIdx.x < CLASSES)
        bins[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) {
        int place = (int)(in[i] * CLASSES);
        atomicAdd(&bins[place], 1);
    }
    __syncthreads();
    if (threadIdx.x < CLASSES)
        atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

static void histogram(unsigned int *counts, const float *d_in, int n)
{
    unsigned int *d_counts;

    cudaMalloc(&d_counts, CLASSES * sizeof *d_counts);
    cudaMemset(d_counts, 0, CLASSES * sizeof *d_counts);
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_counts, d_in, n);
    cudaMemcpy(counts, d_counts, CLASSES * sizeof *d_counts, cudaMemcpyDeviceToHost);
    cudaFree(d_counts);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000, top = argc > 2 ? atoi(argv[2]) : 999, wrong = 0;
    float *in = (float *)malloc(n * sizeof *in), *d_in;
    unsigned int wanted[CLASSES] = {0}, got[CLASSES];

    srand(1);
    for (int i = 0; i < n; i++) {
        int place;
        in[i] = i ? rand() % (top + 1) / 1000.0f : top / 1000.0f;
        place = (int)(in[i] * CLASSES);
        wanted[place < CLASSES ? place : CLASSES - 1]++; // 1 belongs to the last class
    }
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMemcpy(d_in, in, n * sizeof *d_in, cudaMemcpyHostToDevice);
    histogram(got, d_in, n);
    for (int c = 0; c < CLASSES; c++)
        wrong += got[c] != wanted[c];
    cudaFree(d_in);
    free(in);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
