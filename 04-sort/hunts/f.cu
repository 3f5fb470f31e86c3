// Hunt 4/f: a radix sort, a byte at a time, by one block.
#include <stdio.h>
#include <stdlib.h>

#define DIGITS 256 // and threads

static __device__ int digit(unsigned int key, int shift)
{
    return key >> shift & (DIGITS - 1);
}

// One pass: thread d finds where the keys with digit d begin, then the keys move.
__global__ void sort_digit(unsigned int *out, const unsigned int *keys, int n, int shift)
{
    __shared__ int next[DIGITS]; // the place of the next key with each digit
    int tid = threadIdx.x, smaller = 0;

    for (int i = 0; i < n; i++)
        smaller += digit(keys[i], shift) < tid;
    next[tid] = smaller;
    __syncthreads();
    for (int i = tid; i < n; i += DIGITS)
        out[atomicAdd(&next[digit(keys[i], shift)], 1)] = keys[i];
}

static void sort(unsigned int *keys, int n, int bits)
{
    unsigned int *d_keys, *d_out;

    cudaMalloc(&d_keys, n * sizeof *keys);
    cudaMalloc(&d_out, n * sizeof *keys);
    cudaMemcpy(d_keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice);
    for (int shift = 0; shift < bits; shift += 8) {
        sort_digit<<<1, DIGITS>>>(d_out, d_keys, n, shift);
        cudaMemcpy(d_keys, d_out, n * sizeof *keys, cudaMemcpyDeviceToDevice);
    }
    cudaMemcpy(keys, d_keys, n * sizeof *keys, cudaMemcpyDeviceToHost);
    cudaFree(d_keys);
    cudaFree(d_out);
}

// The check: leave it as it is.
static int compare(const void *a, const void *b)
{
    unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500, bits = argc > 2 ? atoi(argv[2]) : 8, wrong = 0;
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
