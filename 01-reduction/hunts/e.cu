// Hunt 1/e: the sum of the squares of n values.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 256

// *sum += the squares of all values.
__global__ void add_squares(unsigned long long *sum, const int *in, int n)
{
    int mine = 0;

    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        mine += in[i] * in[i];
    atomicAdd(sum, (unsigned long long)mine);
}

static unsigned long long sum_squares(const int *d_in, int n)
{
    unsigned long long sum, *d_sum;

    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    add_squares<<<4, BLOCK>>>(d_sum, d_in, n);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    return sum;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000, seed = argc > 2 ? atoi(argv[2]) : 1;
    int *in = (int *)malloc(n * sizeof *in), *d_in;
    unsigned long long sum = 0, got;

    srand(seed);
    for (int i = 0; i < n; i++) {
        in[i] = 10000 + rand() % 4000;
        sum += (unsigned long long)in[i] * in[i];
    }
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    got = sum_squares(d_in, n);
    cudaFree(d_in);
    free(in);
    if (got != sum) {
        printf("got %llu, wanted %llu\nWRONG\n", got, sum);
        return 1;
    }
    puts("PASSED");
    return 0;
}
