// Hunt 10/c: the prefix sums of each row of a matrix with WIDTH columns. A block takes every
// gridDim.x-th row. It computes a row in one of two buffers, while the copy engine may still store
// the row before from the other.
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 64
#define BLOCKS 4
#define BUFFERS 2

__device__ void store(int *out, const int *buffer)
{
    unsigned from = (unsigned)__cvta_generic_to_shared(buffer);

    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(WIDTH * 4)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until at most n stores of this thread still read their buffers.
#define wait_for_stores_but(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")

__global__ void scan_rows(int *out, const int *in, int rows)
{
    __shared__ alignas(16) int buffers[BUFFERS][WIDTH];
    int tid = threadIdx.x, k = 0;

    for (int row = blockIdx.x; row < rows; row += gridDim.x, k++) {
        int *buffer = buffers[k % BUFFERS];
        buffer[tid] = in[row * WIDTH + tid];
        for (int d = 1; d < WIDTH; d *= 2) {
            __syncthreads();
            int left = tid >= d ? buffer[tid - d] : 0;
            __syncthreads();
            buffer[tid] += left;
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // the copy engine may read it
        __syncthreads();
        if (tid == 0) {
            store(out + row * WIDTH, buffer);
            wait_for_stores_but(BUFFERS - 1); // the other buffer is free
        }
    }
    if (tid == 0)
        wait_for_stores_but(0);
}

static void scan(int *out, const int *in, int rows)
{
    int *d_out, *d_in, bytes = rows * WIDTH * sizeof *in;

    cudaMalloc(&d_out, bytes);
    cudaMalloc(&d_in, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    scan_rows<<<BLOCKS, WIDTH>>>(d_out, d_in, rows);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 8, wrong = 0;
    int *in = (int *)malloc(rows * WIDTH * sizeof *in), *out = (int *)malloc(rows * WIDTH * sizeof *out);

    srand(argc > 2 ? atoi(argv[2]) : 1);
    for (int i = 0; i < rows * WIDTH; i++)
        in[i] = rand() % 1000;
    scan(out, in, rows);
    for (int row = 0; row < rows; row++)
        for (int i = 0, sum = 0; i < WIDTH; i++)
            wrong += out[row * WIDTH + i] != (sum += in[row * WIDTH + i]);
    free(in);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
