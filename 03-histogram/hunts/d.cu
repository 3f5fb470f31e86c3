// Hunt 3/d: a histogram of bytes from the byte `skip` on; a thread loads four of them at once.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

__global__ void count(unsigned int *counts, const unsigned char *in, int n)
{
    int i = 4 * (blockIdx.x * BLOCK + threadIdx.x);

    if (i + 3 < n) {
        uchar4 four = *(const uchar4 *)(in + i);
        atomicAdd(&counts[four.x], 1);
        atomicAdd(&counts[four.y], 1);
        atomicAdd(&counts[four.z], 1);
        atomicAdd(&counts[four.w], 1);
    } else {
        for (int end = min(i + 4, n); i < end; i++)
            atomicAdd(&counts[in[i]], 1);
    }
}

static void histogram(unsigned int *counts, const unsigned char *d_in, int n)
{
    unsigned int *d_counts;

    cudaMalloc(&d_counts, 256 * sizeof *d_counts);
    cudaMemset(d_counts, 0, 256 * sizeof *d_counts);
    count<<<(n + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK>>>(d_counts, d_in, n);
    cudaMemcpy(counts, d_counts, 256 * sizeof *d_counts, cudaMemcpyDeviceToHost);
    cudaFree(d_counts);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000, skip = argc > 2 ? atoi(argv[2]) : 64, wrong = 0;
    unsigned char *in = (unsigned char *)malloc(n + skip), *d_in;
    unsigned int wanted[256] = {0}, got[256];

    srand(1);
    for (int i = 0; i < n + skip; i++) {
        in[i] = rand() % 256;
        wanted[in[i]] += i >= skip;
    }
    cudaMalloc(&d_in, n + skip);
    cudaMemcpy(d_in, in, n + skip, cudaMemcpyHostToDevice);
    histogram(got, d_in + skip, n);
    for (int b = 0; b < 256; b++)
        wrong += got[b] != wanted[b];
    cudaFree(d_in);
    free(in);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
