// Hunt 6/d: Jacobi sweeps along a short rod by one block, in shared memory, until no cell changes
// by EPSILON any more, but at most a given number of sweeps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 256 // cells
#define EPSILON 0.01f

// A thread for each cell.
__global__ void relax(float *x, int n, int sweeps)
{
    __shared__ float s[2][MOST];
    int i = threadIdx.x;

    s[0][i] = x[i];
    __syncthreads();
    for (int from = 0; sweeps > 0; sweeps--, from = 1 - from) {
        const float *old = s[from];
        float left = i > 0 ? old[i - 1] : 0, right = i < n - 1 ? old[i + 1] : 100;
        s[1 - from][i] = x[i] = (left + right) / 2;
        if (fabsf(x[i] - old[i]) < EPSILON)
            break;
        __syncthreads();
    }
}

static void solve(float *x, int n, int sweeps)
{
    float *d_x;

    cudaMalloc(&d_x, n * sizeof *x);
    cudaMemcpy(d_x, x, n * sizeof *x, cudaMemcpyHostToDevice);
    relax<<<1, n>>>(d_x, n, sweeps);
    cudaMemcpy(x, d_x, n * sizeof *x, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100, sweeps = argc > 2 ? atoi(argv[2]) : 4, wrong = 0;
    float *x = (float *)malloc(n * sizeof *x), *wanted = (float *)malloc(n * sizeof *x), most = EPSILON;

    for (int i = 0; i < n; i++)
        wanted[i] = x[i] = i * i * 7 % 97;
    solve(x, n, sweeps);
    for (int s = 0; s < sweeps && most >= EPSILON; s++) {
        float left = 0;
        most = 0;
        for (int i = 0; i < n; i++) {
            float made = (left + (i < n - 1 ? wanted[i + 1] : 100)) / 2;
            most = fmaxf(most, fabsf(made - wanted[i]));
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
