// Hunt 2/d: running totals by warps; each warp scans 32 values, a loop adds the
// sums of the warps before it.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define WARPS (BLOCK / 32)

// out[i] = in[0] + ... + in[i], n <= BLOCK.
__global__ void scan_block(int *out, const int *in, int n)
{
    __shared__ int sums[WARPS];
    int tid = threadIdx.x, lane = tid % 32, value = tid < n ? in[tid] : 0;

    if (tid < n)
        for (int d = 1; d < 32; d *= 2) {
            int add = __shfl_up_sync(0xffffffff, value, d);
            if (lane >= d)
                value += add;
        }
    if (lane == 31)
        sums[tid / 32] = value;
    __syncthreads();
    for (int w = 0; w < tid / 32; w++)
        value += sums[w];
    if (tid < n)
        out[tid] = value;
}

static void scan(int *d_out, const int *d_in, int n)
{
    scan_block<<<1, BLOCK>>>(d_out, d_in, n);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 96, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
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
