// Hunt 3/e: a histogram of n measurements in 300 classes; one launch finds the
// class of each, the next counts.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define CLASSES 300

typedef unsigned char place_t;

__global__ void classify(place_t *place, const float *in, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        place[i] = (int)(in[i] * CLASSES);
}

__global__ void count(unsigned int *counts, const place_t *place, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[place[i]], 1);
}

static void histogram(unsigned int *counts, const float *d_in, int n)
{
    unsigned int *d_counts;
    place_t *d_place;

    cudaMalloc(&d_place, n * sizeof *d_place);
    cudaMalloc(&d_counts, CLASSES * sizeof *d_counts);
    cudaMemset(d_counts, 0, CLASSES * sizeof *d_counts);
    classify<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_place, d_in, n);
    count<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_counts, d_place, n);
    cudaMemcpy(counts, d_counts, CLASSES * sizeof *d_counts, cudaMemcpyDeviceToHost);
    cudaFree(d_counts);
    cudaFree(d_place);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2000, top = argc > 2 ? atoi(argv[2]) : 80, wrong = 0;
    float *in = (float *)malloc(n * sizeof *in), *d_in;
    unsigned int wanted[CLASSES] = {0}, got[CLASSES];

    srand(1);
    for (int i = 0; i < n; i++) {
        in[i] = rand() % (top * 10) / 1000.0f; // the rest is below top percent
        wanted[(int)(in[i] * CLASSES)]++;
    }
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMemcpy(d_in, in, n * sizeof *d_in, cudaMemcpyHostToDevice);
    histogram(got, d_in, n);
    for (int c = 0; c < CLASSES; c++)
        wrong += got[c] != wanted[c];
    cudaFree(d_in);
    free(in);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
