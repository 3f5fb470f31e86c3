// Hunt 10/b: y = a x + b, in tiles. Threads compute a tile in shared memory, and one thread stores
// it by a bulk copy. n is a multiple of four.
#include <stdio.h>
#include <stdlib.h>

#define TILE 256 // words and threads of a block

__device__ void store(int *out, const int *tile, int bytes)
{
    unsigned from = (unsigned)__cvta_generic_to_shared(tile);

    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); // the block may end
}

__global__ void line(int *y, const int *x, int a, int b, int n)
{
    __shared__ alignas(16) int tile[TILE];
    int tid = threadIdx.x, first = blockIdx.x * TILE, count = min(TILE, n - first);

    if (tid < count)
        tile[tid] = a * x[first + tid] + b;
    __threadfence(); // the tile is written before it is copied
    __syncthreads();
    if (tid == 0)
        store(y + first, tile, count * sizeof *tile);
}

static void compute(int *y, const int *x, int a, int b, int n)
{
    int *d_x, *d_y, bytes = n * sizeof *x;

    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    line<<<(n + TILE - 1) / TILE, TILE>>>(d_y, d_x, a, b, n);
    cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2000, a = argc > 2 ? atoi(argv[2]) : 3, wrong = 0;
    int *x = (int *)malloc(n * sizeof *x), *y = (int *)malloc(n * sizeof *y);

    srand(1);
    for (int i = 0; i < n; i++)
        x[i] = rand() % 1000;
    compute(y, x, a, 7, n);
    for (int i = 0; i < n; i++)
        wrong += y[i] != a * x[i] + 7;
    free(x);
    free(y);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
