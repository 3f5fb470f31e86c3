// Hunt 0/c: triples n values, by a grid of fixed size.
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 8
#define BLOCK 128

__global__ void triple(int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        x[i] *= 3;
}

static void run(int *out, const int *in, int width, int height)
{
    int n = width * height, *d_x;

    cudaMalloc(&d_x, n * sizeof *d_x);
    cudaMemcpy(d_x, in, n * sizeof *in, cudaMemcpyHostToDevice);
    triple<<<BLOCKS, BLOCK>>>(d_x, n);
    cudaMemcpy(out, d_x, n * sizeof *out, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 10, height = argc > 2 ? atoi(argv[2]) : 12, n = width * height, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    run(out, in, width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[y * width + x] != 3 * in[y * width + x];
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
