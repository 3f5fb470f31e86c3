// Hunt 3/c: a histogram of bytes; each thread counts four bins of its own in
// bytes, and adds them up at the end.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 64

// One block; thread t counts the values 4 t to 4 t + 3.
__global__ void count(unsigned int *counts, const unsigned char *in, int n)
{
    unsigned char mine[4] = {0, 0, 0, 0};

    for (int i = 0; i < n; i++)
        if (in[i] / 4 == threadIdx.x)
            mine[in[i] % 4]++;
    for (int k = 0; k < 4; k++)
        counts[4 * threadIdx.x + k] = mine[k];
}

static void histogram(unsigned int *counts, const unsigned char *d_in, int n)
{
    unsigned int *d_counts;

    cudaMalloc(&d_counts, 256 * sizeof *d_counts);
    cudaMemset(d_counts, 0, 256 * sizeof *d_counts);
    count<<<1, BLOCK>>>(d_counts, d_in, n);
    cudaMemcpy(counts, d_counts, 256 * sizeof *d_counts, cudaMemcpyDeviceToHost);
    cudaFree(d_counts);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, kind = argc > 2 ? atoi(argv[2]) : 0, wrong = 0;
    unsigned char *in = (unsigned char *)malloc(n), *d_in;
    unsigned int wanted[256] = {0}, got[256];

    srand(kind);
    for (int i = 0; i < n; i++) {
        in[i] = kind == 0 ? rand() % 256 : kind == 1 ? 7 : rand() % 256;
        wanted[in[i]]++;
    }
    cudaMalloc(&d_in, n);
    cudaMemcpy(d_in, in, n, cudaMemcpyHostToDevice);
    histogram(got, d_in, n);
    for (int b = 0; b < 256; b++)
        wrong += got[b] != wanted[b];
    cudaFree(d_in);
    free(in);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
