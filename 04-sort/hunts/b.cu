// Hunt 4/b: a radix sort with digits of four bits. A pass counts the digits, then moves the keys.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128
#define DIGITS 16

static __device__ int digit(unsigned int key, int shift)
{
    return key >> shift & (DIGITS - 1);
}

// counts[d] += the keys with digit d.
__global__ void count_digits(int *counts, const unsigned int *keys, int n, int shift)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[digit(keys[i], shift)], 1);
}

// A key goes after all with a lower digit, and after the earlier ones with its digit.
__global__ void move_keys(unsigned int *out, const unsigned int *keys, const int *counts, int n, int shift)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, mine = i < n ? digit(keys[i], shift) : 0, place = 0;

    for (int d = 0; d < mine; d++)
        place += counts[d];
    for (int j = 0; j < i && j < n; j++)
        place += digit(keys[j], shift) == mine;
    if (i < n)
        out[place] = keys[i];
}

static void sort(unsigned int *keys, int n, int bits)
{
    int blocks = (n + BLOCK - 1) / BLOCK, size = DIGITS * sizeof(int), *d_counts;
    unsigned int *d_keys, *d_out;

    cudaMalloc(&d_keys, n * sizeof *keys);
    cudaMalloc(&d_out, n * sizeof *keys);
    cudaMalloc(&d_counts, size);
    cudaMemset(d_counts, 0, size);
    cudaMemcpy(d_keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice);
    for (int shift = 0; shift < bits; shift += 4) {
        count_digits<<<blocks, BLOCK>>>(d_counts, d_keys, n, shift);
        move_keys<<<blocks, BLOCK>>>(d_out, d_keys, d_counts, n, shift);
        cudaMemcpy(d_keys, d_out, n * sizeof *keys, cudaMemcpyDeviceToDevice);
    }
    cudaMemcpy(keys, d_keys, n * sizeof *keys, cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    cudaFree(d_out);
    cudaFree(d_counts);
}

// The check: leave it as it is.
static int compare(const void *a, const void *b)
{
    unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300, bits = argc > 2 ? atoi(argv[2]) : 4, wrong = 0;
    unsigned int *keys = (unsigned int *)malloc(n * sizeof *keys), *wanted = (unsigned int *)malloc(n * sizeof *keys);

    srand(1);
    for (int i = 0; i < n; i++)
        wanted[i] = keys[i] = rand() % (1u << bits);
    qsort(wanted, n, sizeof *wanted, compare);
    sort(keys, n, bits);
    for (int i = 0; i < n; i++)
        wrong += keys[i] != wanted[i];
    free(keys);
    free(wanted);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
