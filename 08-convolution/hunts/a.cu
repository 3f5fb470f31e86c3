// Hunt 8/a: a signal, filtered with weights of a radius of at most 8. A block keeps its values,
// and the halo on both sides, in shared memory. Values outside are 0.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define MOST 8

// out[i] = the sum of weights[k] * in[i + k - radius].
__global__ void filter(float *out, const float *in, int n, const float *weights, int radius)
{
    __shared__ float tile[BLOCK + 2 * MOST];
    int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    float sum = 0;

    if (i < n)
        tile[radius + tid] = in[i];
    if (tid < radius)
        tile[tid] = i >= radius ? in[i - radius] : 0;
    if (tid >= BLOCK - radius)
        tile[2 * radius + tid] = i + radius < n ? in[i + radius] : 0;
    __syncthreads();
    for (int k = 0; k <= 2 * radius; k++)
        sum += weights[k] * tile[tid + k];
    if (i < n)
        out[i] = sum;
}

static void filter_all(float *out, const float *in, int n, const float *weights, int radius)
{
    float *d_in, *d_out, *d_weights;

    cudaMalloc(&d_in, n * sizeof *in);
    cudaMalloc(&d_out, n * sizeof *out);
    cudaMalloc(&d_weights, (2 * radius + 1) * sizeof *weights);
    cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice);
    cudaMemcpy(d_weights, weights, (2 * radius + 1) * sizeof *weights, cudaMemcpyHostToDevice);
    filter<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_out, d_in, n, d_weights, radius);
    cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_weights);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024, radius = argc > 2 ? atoi(argv[2]) : 5, wrong = 0;
    float *in = (float *)malloc(n * sizeof *in), *out = (float *)malloc(n * sizeof *in), weights[2 * MOST + 1];

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 100;
    for (int k = 0; k <= 2 * radius; k++)
        weights[k] = rand() % 10;
    filter_all(out, in, n, weights, radius);
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k <= 2 * radius; k++)
            sum += i + k >= radius && i + k - radius < n ? weights[k] * in[i + k - radius] : 0;
        wrong += !(out[i] == sum);
    }
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
