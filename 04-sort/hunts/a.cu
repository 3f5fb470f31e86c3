// Hunt 4/a: up to 512 keys, sorted in shared memory by one block, one bit after the other.
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 512
#define WARP 32

// A thread for each key, in whole warps. Keys whose bit is 0 come before the others.
__global__ void sort_block(unsigned int *keys, int n, int bits)
{
    __shared__ unsigned int x[BLOCK];
    __shared__ int zeros[BLOCK / WARP]; // of each warp
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP;

    x[tid] = tid < n ? keys[tid] : 0xffffffff;
    __syncthreads();
    for (int b = 0; b < bits; b++) {
        unsigned int key = x[tid], mine = __ballot_sync(0xffffffff, !(key >> b & 1));
        int before = __popc(mine & ((1u << lane) - 1)), all = 0;

        if (lane == 0)
            zeros[warp] = __popc(mine);
        __syncthreads();
        for (int w = 0; w < blockDim.x / WARP; w++) {
            before += w < warp ? zeros[w] : 0;
            all += zeros[w];
        }
        x[key >> b & 1 ? all + tid - before : before] = key;
    }
    __syncthreads();
    if (tid < n)
        keys[tid] = x[tid];
}

static void sort(unsigned int *keys, int n, int bits)
{
    unsigned int *d_keys;

    cudaMalloc(&d_keys, n * sizeof *keys);
    cudaMemcpy(d_keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice);
    sort_block<<<1, (n + WARP - 1) / WARP * WARP>>>(d_keys, n, bits);
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
    int n = argc > 1 ? atoi(argv[1]) : 32, bits = argc > 2 ? atoi(argv[2]) : 10, wrong = 0;
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
