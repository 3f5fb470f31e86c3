// Hunt 0/a: an image made twice as bright: one thread for each pixel.
#include <stdio.h>
#include <stdlib.h>

__global__ void brighten(int *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width || y < height)
        image[y * width + x] *= 2;
}

static void run(int *out, const int *in, int width, int height)
{
    int bytes = width * height * sizeof *in, *d_image;
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);

    cudaMalloc(&d_image, bytes);
    cudaMemcpy(d_image, in, bytes, cudaMemcpyHostToDevice);
    brighten<<<grid, block>>>(d_image, width, height);
    cudaMemcpy(out, d_image, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_image);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 64, height = argc > 2 ? atoi(argv[2]) : 48, n = width * height, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    run(out, in, width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[y * width + x] != 2 * in[y * width + x];
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
