// The benchmark's kernel on the SIMT machine: every block of 256 threads sums 256 ints, sequential addressing. Prints
// milliseconds of host time for one launch, the best of the given repetitions (default 5). The second argument is the
// logarithm of n (default 20).
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 256

__global__ void block_sum(int *partial, const int *in)
{
    __shared__ int cache[BLOCK];
    int tid = threadIdx.x;

    cache[tid] = in[blockIdx.x * BLOCK + tid];
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            cache[tid] += cache[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 5, n = 1 << (argc > 2 ? atoi(argv[2]) : 20), blocks = n / BLOCK;
    size_t in_bytes = (size_t)n * sizeof(int), partial_bytes = (size_t)blocks * sizeof(int);
    int *in = (int *)malloc(in_bytes), *partial = (int *)malloc(partial_bytes), *d_in, *d_partial;
    double best = 1e30;
    for (int i = 0; i < n; i++)
        in[i] = i % 1009;
    if (cudaMalloc(&d_in, in_bytes) || cudaMalloc(&d_partial, partial_bytes) ||
        cudaMemcpy(d_in, in, in_bytes, cudaMemcpyHostToDevice))
        return 1;
    for (int r = 0; r < repetitions; r++) {
        double start = now();
        block_sum<<<blocks, BLOCK>>>(d_partial, d_in);
        if (cudaDeviceSynchronize())
            return 1;
        best = now() - start < best ? now() - start : best;
    }
    if (cudaMemcpy(partial, d_partial, partial_bytes, cudaMemcpyDeviceToHost))
        return 1;
    for (int b = 0; b < blocks; b++) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++)
            sum += in[b * BLOCK + i];
        if (sum != partial[b]) {
            fprintf(stderr, "block %d: got %d, wanted %d\n", b, partial[b], sum);
            return 2;
        }
    }
    printf("%.3f\n", best);
    return 0;
}
