// Hunt 1/d: the mean of n measurements near 1000; each thread adds up its share.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64

// sum[0] = the sum of all values; one block.
__global__ void sum_values(float *sum, const float *in, int n)
{
    __shared__ double x[BLOCK];
    float mine = 0;

    for (int i = threadIdx.x; i < n; i += BLOCK)
        mine += in[i];
    x[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0;
        for (int t = 0; t < BLOCK; t++)
            all += x[t];
        *sum = (float)all;
    }
}

static float mean(const float *d_in, int n)
{
    float sum, *d_sum;

    cudaMalloc(&d_sum, sizeof *d_sum);
    sum_values<<<1, BLOCK>>>(d_sum, d_in, n);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(d_sum);
    return sum / n;
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, seed = argc > 2 ? atoi(argv[2]) : 1;
    float *in = (float *)malloc(n * sizeof *in), *d_in, got;
    double sum = 0;

    srand(seed);
    for (int i = 0; i < n; i++) {
        in[i] = 1000 + rand() % 2 * 0.25f;
        sum += in[i];
    }
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    got = mean(d_in, n);
    cudaFree(d_in);
    free(in);
    if (got - sum / n > 0.001 || !(got - sum / n > -0.001)) {
        printf("got %.4f, wanted %.4f\nWRONG\n", got, sum / n);
        return 1;
    }
    puts("PASSED");
    return 0;
}
