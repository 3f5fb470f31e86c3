// Hunt 6/b: one Jacobi sweep along a rod. It also finds the largest change, by which the caller
// decides whether to go on.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

// *change, on entry 0, is the largest change as bits, which order positive floats as
// their values do.
__global__ void sweep(float *new_x, int *change, const float *x, int n)
{
    __shared__ float most[BLOCK];
    int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    float mine;

    if (i < n) {
        float made = ((i > 0 ? x[i - 1] : 0) + (i < n - 1 ? x[i + 1] : 100)) / 2;
        mine = fabsf(made - x[i]);
        new_x[i] = made;
    }
    most[tid] = mine;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            most[tid] = fmaxf(most[tid], most[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        atomicMax(change, __float_as_int(most[0]));
}

// Returns the largest change.
static float solve(float *x, int n)
{
    float *d_x, *d_new, change;
    int *d_change;

    cudaMalloc(&d_x, n * sizeof *x);
    cudaMalloc(&d_new, n * sizeof *x);
    cudaMalloc(&d_change, sizeof *d_change);
    cudaMemcpy(d_x, x, n * sizeof *x, cudaMemcpyHostToDevice);
    cudaMemset(d_change, 0, sizeof *d_change);
    sweep<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_new, d_change, d_x, n);
    cudaMemcpy(x, d_new, n * sizeof *x, cudaMemcpyDeviceToHost);
    cudaMemcpy(&change, d_change, sizeof change, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_new);
    cudaFree(d_change);
    return change;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024, seed = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
    float *x = (float *)malloc(n * sizeof *x), *old = (float *)malloc(n * sizeof *x), most = 0, change;

    srand(seed);
    for (int i = 0; i < n; i++)
        old[i] = x[i] = rand() % 100;
    change = solve(x, n);
    for (int i = 0; i < n; i++) {
        float made = ((i > 0 ? old[i - 1] : 0) + (i < n - 1 ? old[i + 1] : 100)) / 2;
        most = fmaxf(most, fabsf(made - old[i]));
        wrong += !(x[i] == made);
    }
    wrong += !(change == most);
    free(x);
    free(old);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
