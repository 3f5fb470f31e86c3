// Hunt 2/a: running totals in one pass; each tile waits for the total of the tile before it.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

// out[i] = in[0] + ... + in[i]. A block takes a tile, waits for the total of the
// tiles before it, and passes its own on.
__global__ void scan_tiles(int *out, const int *in, int n, volatile int *total, volatile int *ready, int *next)
{
    __shared__ int x[BLOCK];
    __shared__ int before; // first the tile, later the sum before it
    int tid = threadIdx.x, tile = 0, i;

    if (tid == 0)
        before = atomicAdd(next, 1); // blocks start in any order: tiles are handed out
    __syncthreads();
    tile = before;
    __syncthreads();
    i = tile * BLOCK + tid;
    x[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int add = tid >= d ? x[tid - d] : 0;
        __syncthreads();
        x[tid] += add;
        __syncthreads();
    }
    if (tid == 0) {
        while (tile > 0 && !ready[tile - 1])
            ;
        __threadfence();
        before = tile > 0 ? total[tile - 1] : 0;
        total[tile] = before + x[BLOCK - 1];
        ready[tile] = 1;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + x[tid];
}

static void scan(int *d_out, const int *d_in, int n)
{
    int tiles = (n + BLOCK - 1) / BLOCK, *d_total, *d_ready, *d_next;

    cudaMalloc(&d_total, tiles * sizeof *d_total);
    cudaMalloc(&d_ready, tiles * sizeof *d_ready);
    cudaMemset(d_ready, 0, tiles * sizeof *d_ready);
    cudaMalloc(&d_next, sizeof *d_next);
    cudaMemset(d_next, 0, sizeof *d_next);
    scan_tiles<<<tiles, BLOCK>>>(d_out, d_in, n, d_total, d_ready, d_next);
    cudaFree(d_total);
    cudaFree(d_ready);
    cudaFree(d_next);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
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
