// Hunt 8/f: an image of bytes, sharpened: five times a pixel, less its four neighbours, which are
// repeated at the edges.
#include <stdio.h>
#include <stdlib.h>

#define SIDE 16

__global__ void sharpen(unsigned char *out, const unsigned char *in, int width, int height)
{
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y, sum;

    if (x >= width || y >= height)
        return;
    sum = 5 * in[y * width + x];
    sum -= in[y * width + max(x - 1, 0)] + in[y * width + min(x + 1, width - 1)];
    sum -= in[max(y - 1, 0) * width + x] + in[min(y + 1, height - 1) * width + x];
    out[y * width + x] = (unsigned char)sum;
}

static void sharpen_image(unsigned char *out, const unsigned char *in, int width, int height)
{
    int n = width * height;
    dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
    unsigned char *d_in, *d_out;

    cudaMalloc(&d_in, n);
    cudaMalloc(&d_out, n);
    cudaMemcpy(d_in, in, n, cudaMemcpyHostToDevice);
    sharpen<<<grid, dim3(SIDE, SIDE)>>>(d_out, d_in, width, height);
    cudaMemcpy(out, d_out, n, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 60, height = 40, contrast = argc > 2 ? atoi(argv[2]) : 30, wrong = 0;
    int n = width * height;
    unsigned char *in = (unsigned char *)malloc(n), *out = (unsigned char *)malloc(n);

    srand(1);
    for (int i = 0; i < n; i++)
        in[i] = 128 - contrast / 2 + rand() % contrast;
    sharpen_image(out, in, width, height);
    for (int i = 0; i < n; i++) {
        int x = i % width, y = i / width, sum = 5 * in[i];
        sum -= in[x > 0 ? i - 1 : i] + in[x < width - 1 ? i + 1 : i];
        sum -= in[y > 0 ? i - width : i] + in[y < height - 1 ? i + width : i];
        wrong += out[i] != (sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
