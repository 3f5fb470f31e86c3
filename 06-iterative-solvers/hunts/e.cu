// Hunt 6/e: Jacobi sweeps along a rod until the largest change is below EPSILON. The change comes
// back through page-locked memory, on the stream of the sweeps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64 // threads, and at most that many cells
#define EPSILON 0.0001f
#define SWEEPS 2000

// *change = the largest change, as bits, which order positive floats as their values do.
__global__ void sweep(float *new_x, int *change, const float *x, int n)
{
    __shared__ int most;
    int i = threadIdx.x;

    if (i == 0)
        most = 0;
    __syncthreads();
    if (i < n) {
        new_x[i] = ((i > 0 ? x[i - 1] : 0) + (i < n - 1 ? x[i + 1] : 100)) / 2;
        atomicMax(&most, __float_as_int(fabsf(new_x[i] - x[i])));
    }
    __syncthreads();
    if (i == 0)
        *change = most;
}

// x[0] to x[n - 1] on entry 0.
static void solve(float *x, int n)
{
    float *d_x[2], *change;
    int *d_change, s = 0;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMallocHost(&change, sizeof *change);
    cudaMalloc(&d_change, sizeof *d_change);
    for (int k = 0; k < 2; k++)
        cudaMalloc(&d_x[k], n * sizeof *x);
    cudaMemcpyAsync(d_x[0], x, n * sizeof *x, cudaMemcpyHostToDevice, stream);
    *change = 1;
    while (*change >= EPSILON && s < SWEEPS) {
        sweep<<<1, BLOCK, 0, stream>>>(d_x[1 - s % 2], d_change, d_x[s % 2], n);
        cudaMemcpyAsync(change, d_change, sizeof *change, cudaMemcpyDeviceToHost, stream);
        s++;
    }
    cudaMemcpyAsync(x, d_x[s % 2], n * sizeof *x, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    for (int k = 0; k < 2; k++)
        cudaFree(d_x[k]);
    cudaFree(d_change);
    cudaFreeHost(change);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9, wrong = 0;
    float *x = (float *)calloc(n, sizeof *x);

    solve(x, n);
    for (int i = 0; i < n; i++) // a straight line from 0 to 100
        wrong += !(fabsf(x[i] - 100.0f * (i + 1) / (n + 1)) < 0.1f);
    free(x);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
