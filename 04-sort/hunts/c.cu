// Hunt 4/c: a bitonic network for a power of two. The places past n are filled with the
// largest key.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

// Comparators of one round; every other run of keys is sorted downwards.
__global__ void compare_exchange(unsigned int *keys, int size, int run, int stride)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, j = i ^ stride;

    if (i < size && i < j && (keys[i] > keys[j]) == ((i & run) == 0)) {
        unsigned int key = keys[i];
        keys[i] = keys[j];
        keys[j] = key;
    }
}

static void sort(unsigned int *keys, int n)
{
    int size = 1;
    unsigned int *d_keys;

    while (size < n)
        size *= 2;
    cudaMalloc(&d_keys, size * sizeof *keys);
    cudaMemcpy(d_keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice);
    cudaMemset(d_keys + n, 0xff, size - n);
    for (int run = 2; run <= size; run *= 2)
        for (int stride = run / 2; stride > 0; stride /= 2)
            compare_exchange<<<(size + BLOCK - 1) / BLOCK, BLOCK>>>(d_keys, size, run, stride);
    cudaMemcpy(keys, d_keys, n * sizeof *keys, cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
}

// The check: leave it as it is.
static int compare(const void *a, const void *b)
{
    unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, bits = argc > 2 ? atoi(argv[2]) : 16, wrong = 0;
    unsigned int *keys = (unsigned int *)malloc(n * sizeof *keys), *wanted = (unsigned int *)malloc(n * sizeof *keys);

    srand(1);
    for (int i = 0; i < n; i++)
        wanted[i] = keys[i] = rand() % (1u << bits);
    qsort(wanted, n, sizeof *wanted, compare);
    sort(keys, n);
    for (int i = 0; i < n; i++)
        wrong += keys[i] != wanted[i];
    free(keys);
    free(wanted);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
