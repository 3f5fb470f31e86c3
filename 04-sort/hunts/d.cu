// Hunt 4/d: a bitonic network in shared memory. The first round of a merge compares mirror images,
// so that every comparator puts the smaller key first; comparators that reach past n are left out.
#include <stdio.h>
#include <stdlib.h>

#define TILE 256

// One block of TILE / 2 threads sorts n keys, n <= TILE.
__global__ void sort_tile(unsigned int *keys, int n)
{
    __shared__ unsigned int x[TILE];
    int tid = threadIdx.x;

    for (int i = tid; i < n; i += TILE / 2)
        x[i] = keys[i];
    __syncthreads();
    for (int run = 2; run <= TILE; run *= 2)
        for (int stride = run / 2; stride > 0; stride /= 2) {
            int place = tid % stride, low = tid / stride * 2 * stride + place, high = low + stride;

            if (stride == run / 2)
                high = low + run - 1 - 2 * place;
            if (high >= n)
                continue;
            if (x[low] > x[high]) {
                unsigned int key = x[low];
                x[low] = x[high];
                x[high] = key;
            }
            __syncthreads();
        }
    for (int i = tid; i < n; i += TILE / 2)
        keys[i] = x[i];
}

static void sort(unsigned int *keys, int n)
{
    unsigned int *d_keys;

    cudaMalloc(&d_keys, n * sizeof *keys);
    cudaMemcpy(d_keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice);
    sort_tile<<<1, TILE / 2>>>(d_keys, n);
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
