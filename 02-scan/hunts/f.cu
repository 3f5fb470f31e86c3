// Hunt 2/f: running totals of a row; the host prints the grand total from a page-locked word.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

// out[i] = in[0] + ... + in[i], by one block, tile by tile; *total = out[n - 1].
__global__ void scan_row(int *out, int *total, const int *in, int n)
{
    __shared__ int x[BLOCK];
    int tid = threadIdx.x, before = 0;

    for (int first = 0; first < n; first += BLOCK) {
        x[tid] = first + tid < n ? in[first + tid] : 0;
        __syncthreads();
        for (int d = 1; d < BLOCK; d *= 2) {
            int add = tid >= d ? x[tid - d] : 0;
            __syncthreads();
            x[tid] += add;
            __syncthreads();
        }
        if (first + tid < n)
            out[first + tid] = before + x[tid];
        before += x[BLOCK - 1];
    }
    if (tid == 0)
        *total = before;
}

static void scan(int *d_out, const int *d_in, int n)
{
    int *d_total;

    cudaMalloc(&d_total, sizeof *d_total);
    scan_row<<<1, BLOCK>>>(d_out, d_total, d_in, n);
    cudaFree(d_total);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
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
