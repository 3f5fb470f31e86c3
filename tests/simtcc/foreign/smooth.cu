// Another project's program, its device side: nothing of the workbook. -DNO_BARRIER removes the barrier: a race.
#include "smooth.h"

#define BLOCK 128

__global__ void smooth_block(float *out, const float *in, int n)
{
    __shared__ float tile[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x;

    tile[threadIdx.x + 1] = i < n ? in[i] : 0;
    if (threadIdx.x == 0) {
        tile[0] = i > 0 && i <= n ? in[i - 1] : 0;
        tile[BLOCK + 1] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
#ifndef NO_BARRIER
    __syncthreads();
#endif
    if (i < n)
        out[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3;
}

int smooth(float *out, const float *in, int n)
{
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMalloc(&d_out, n * sizeof *d_out);
    cudaMemcpy(d_in, in, n * sizeof *d_in, cudaMemcpyHostToDevice);
    smooth_block<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n);
    cudaMemcpy(out, d_out, n * sizeof *d_out, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return cudaGetLastError();
}
