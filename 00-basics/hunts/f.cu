// Hunt 0/f: an image, mirrored at its diagonal, tile by tile in shared memory.
#include <stdio.h>
#include <stdlib.h>

#define TILE 16

__global__ void mirror(int *out, const int *in, int width, int height)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    if (x < width && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
        __syncthreads();
    }
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

static void run(int *out, const int *in, int width, int height)
{
    int bytes = width * height * sizeof *in, *d_in, *d_out;
    dim3 block(TILE, TILE), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);

    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    mirror<<<grid, block>>>(d_out, d_in, width, height);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 64, height = argc > 2 ? atoi(argv[2]) : 32, n = width * height, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    run(out, in, width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[x * height + y] != in[y * width + x];
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
