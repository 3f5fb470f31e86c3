// Hunt 0/e: triples n values in two chunks; each chunk has a stream.
#include <stdio.h>
#include <stdlib.h>

__global__ void triple(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] *= 3;
}

static void run(int *out, const int *in, int width, int height)
{
    int n = width * height, half = n / 2048 * 1024, *page, *d_x; // a chunk begins at a page of 4 KB
    cudaStream_t stream[2];

    cudaMallocHost(&page, n * sizeof *page);
    cudaMalloc(&d_x, n * sizeof *d_x);
    for (int i = 0; i < n; i++)
        page[i] = in[i];
    for (int s = 0; s < 2; s++) {
        int first = s * half, count = s ? n - half : half;
        size_t bytes = count * sizeof *d_x;
        cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
        cudaMemcpyAsync(d_x + first, page + first, bytes, cudaMemcpyHostToDevice, stream[s]);
        if (count > 0)
            triple<<<(count + 127) / 128, 128, 0, stream[s]>>>(d_x + first, count);
        cudaMemcpyAsync(page + first, d_x + first, bytes, cudaMemcpyDeviceToHost, stream[s]);
    }
    cudaStreamSynchronize(stream[0]);
    for (int i = 0; i < n; i++)
        out[i] = page[i];
    cudaStreamSynchronize(stream[1]);
    cudaFree(d_x);
    cudaFreeHost(page);
    cudaStreamDestroy(stream[0]);
    cudaStreamDestroy(stream[1]);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 64, height = argc > 2 ? atoi(argv[2]) : 64, n = width * height, wrong = 0;
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
