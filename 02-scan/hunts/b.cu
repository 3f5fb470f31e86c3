// Hunt 2/b: running totals of one block: each warp scans by shuffles, the first
// warp scans the sums of the warps.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 512
#define WARPS (BLOCK / 32)

static __device__ int scan_warp(int value)
{
    for (int d = 1; d < 32; d *= 2) {
        int add = __shfl_up_sync(0xffffffff, value, d);
        if (threadIdx.x % 32 >= d)
            value += add;
    }
    return value;
}

// out[i] = in[0] + ... + in[i], n <= BLOCK.
__global__ void scan_block(int *out, const int *in, int n)
{
    __shared__ int sums[WARPS];
    int tid = threadIdx.x, warp = tid / 32, value = scan_warp(tid < n ? in[tid] : 0);

    if (tid % 32 == 31)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = scan_warp(tid < WARPS ? sums[tid] : 0);
        if (tid < WARPS)
            sums[tid] = sum;
    }
    if (tid < n)
        out[tid] = value + (warp > 0 ? sums[warp - 1] : 0);
}

static void scan(int *d_out, const int *d_in, int n)
{
    scan_block<<<1, BLOCK>>>(d_out, d_in, n);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
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
