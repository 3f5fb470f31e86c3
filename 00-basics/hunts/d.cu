// Hunt 0/d: smooths rows of values: each becomes the mean of itself and its right neighbour; one
// block for each row.
#include <stdio.h>
#include <stdlib.h>

#define MOST 2048 // threads of a block

__global__ void smooth(int *out, const int *in, int width)
{
    const int *row = in + blockIdx.x * width;

    for (int x = threadIdx.x; x < width; x += blockDim.x)
        out[blockIdx.x * width + x] = (row[x] + row[x + 1 < width ? x + 1 : x]) / 2;
}

static void run(int *out, const int *in, int width, int height)
{
    int bytes = width * height * sizeof *in, *d_in, *d_out, threads = width < MOST ? width : MOST;

    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, in, bytes, cudaMemcpyHostToDevice);
    smooth<<<height, threads>>>(d_out, d_in, width);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 700, height = argc > 2 ? atoi(argv[2]) : 3, n = width * height, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    run(out, in, width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[y * width + x] != (in[y * width + x] + in[y * width + (x + 1 < width ? x + 1 : x)]) / 2;
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
