// Hunt 2/c: running totals of tiles of 256, then the totals of the tiles, then both together.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

// Scans each tile; totals[b] = the sum of tile b.
__global__ void scan_tiles(int *out, int *totals, const int *in, int n)
{
    __shared__ int x[2][BLOCK];
    int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid, from = 0;

    if (i < n)
        x[from][tid] = in[i];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2, from = 1 - from) {
        x[1 - from][tid] = x[from][tid] + (tid >= d ? x[from][tid - d] : 0);
        __syncthreads();
    }
    if (i < n)
        out[i] = x[from][tid];
    if (tid == BLOCK - 1)
        totals[blockIdx.x] = x[from][tid];
}

__global__ void add_totals(int *out, const int *totals, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, before = 0;

    for (int b = 0; b < blockIdx.x; b++)
        before += totals[b];
    if (i < n)
        out[i] += before;
}

static void scan(int *d_out, const int *d_in, int n)
{
    int tiles = (n + BLOCK - 1) / BLOCK, *d_totals;

    cudaMalloc(&d_totals, tiles * sizeof *d_totals);
    scan_tiles<<<tiles, BLOCK>>>(d_out, d_totals, d_in, n);
    add_totals<<<tiles, BLOCK>>>(d_out, d_totals, n);
    cudaFree(d_totals);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out), *d_in, *d_out;

    srand(seed);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 100;
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMalloc(&d_out, n * sizeof *d_out);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    scan(d_out, d_in, n);
    cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost);
    for (int i = 0, sum = 0; i < n; i++) {
        sum += in[i];
        wrong += out[i] != sum;
    }
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
