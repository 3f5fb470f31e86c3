// Hunt 6/c: Jacobi sweeps along a rod, from one array to the other and back.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

__global__ void sweep(float *new_x, const float *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        new_x[i] = ((i > 0 ? x[i - 1] : 0) + (i < n - 1 ? x[i + 1] : 100)) / 2;
}

// d_x: the values before and after the sweeps.
static void solve(float *d_x, int n, int sweeps)
{
    float *d_new;

    cudaMalloc(&d_new, n * sizeof *d_new);
    for (int s = 0; s < sweeps; s++) {
        float *swap = d_x;
        sweep<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_new, d_x, n);
        d_x = d_new;
        d_new = swap;
    }
    cudaFree(d_new);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300, sweeps = argc > 2 ? atoi(argv[2]) : 10, wrong = 0;
    float *x = (float *)malloc(n * sizeof *x), *wanted = (float *)malloc(n * sizeof *x), *d_x;

    srand(1);
    for (int i = 0; i < n; i++)
        wanted[i] = rand() % 100;
    cudaMalloc(&d_x, n * sizeof *x);
    cudaMemcpy(d_x, wanted, n * sizeof *x, cudaMemcpyHostToDevice);
    solve(d_x, n, sweeps);
    cudaMemcpy(x, d_x, n * sizeof *x, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    for (int s = 0; s < sweeps; s++) {
        float left = 0;
        for (int i = 0; i < n; i++) {
            float made = (left + (i < n - 1 ? wanted[i + 1] : 100)) / 2;
            left = wanted[i];
            wanted[i] = made;
        }
    }
    for (int i = 0; i < n; i++)
        wrong += !(x[i] == wanted[i]);
    free(x);
    free(wanted);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
