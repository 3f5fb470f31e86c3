// Hunt 0/b: the negative of an image; its rows begin at multiples of a pitch.
#include <stdio.h>
#include <stdlib.h>

__global__ void negate(int *image, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;

    if (x < width) {
        int *row = (int *)((char *)image + y * pitch);
        row[x] = 999 - row[x];
    }
}

static void run(int *out, const int *in, int width, int height)
{
    size_t line = width * sizeof *in, pitch;
    int *d_image;

    cudaMallocPitch((void **)&d_image, &pitch, line, height);
    cudaMemcpy2D(d_image, pitch, in, line, line, height, cudaMemcpyHostToDevice);
    negate<<<dim3((width + 127) / 128, height), 128>>>(d_image, pitch, width, height);
    cudaMemcpy(out, d_image, line * height, cudaMemcpyDeviceToHost);
    cudaFree(d_image);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 128, height = argc > 2 ? atoi(argv[2]) : 20, n = width * height, wrong = 0;
    int *in = (int *)malloc(n * sizeof *in), *out = (int *)malloc(n * sizeof *out);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = rand() % 1000;
    run(out, in, width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[y * width + x] != 999 - in[y * width + x];
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
