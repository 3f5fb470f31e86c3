// Hunt 10/d: the largest word of each row of a matrix. A row is too long for one block, so a
// cluster of four blocks shares it. The last one reads the maxima of the others from their shared
// memory, and writes the largest.
#include <cooperative_groups.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

namespace cg = cooperative_groups;

#define BLOCK 128
#define SHARE 4 // blocks for a row

// Grid: SHARE blocks for each row, one cluster.
__global__ void __cluster_dims__(SHARE) find_largest(int *out, const int *x, int columns)
{
    __shared__ int most;
    cg::cluster_group cluster = cg::this_cluster();
    const int *row = x + blockIdx.x / SHARE * columns;
    int rank = cluster.block_rank(), largest = INT_MIN;

    if (threadIdx.x == 0)
        most = INT_MIN;
    __syncthreads();
    for (int i = rank * BLOCK + threadIdx.x; i < columns; i += SHARE * BLOCK)
        largest = max(largest, row[i]);
    atomicMax(&most, largest);
    cluster.sync(); // the maxima of all four blocks are there
    if (rank == SHARE - 1 && threadIdx.x == 0) {
        for (int r = 0; r < SHARE; r++)
            largest = max(largest, *cluster.map_shared_rank(&most, r));
        out[blockIdx.x / SHARE] = largest;
    }
}

static void largest_of_rows(int *out, const int *x, int rows, int columns)
{
    int *d_out, *d_x, bytes = rows * columns * sizeof *x;

    cudaMalloc(&d_out, rows * sizeof *out);
    cudaMalloc(&d_x, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    find_largest<<<rows * SHARE, BLOCK>>>(d_out, d_x, columns);
    cudaMemcpy(out, d_out, rows * sizeof *out, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_x);
}

// The check: leave it as it is.
int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 8, columns = argc > 2 ? atoi(argv[2]) : 1000, wrong = 0;
    int *x = (int *)malloc(rows * columns * sizeof *x), *out = (int *)malloc(rows * sizeof *out);

    srand(1);
    for (int i = 0; i < rows * columns; i++)
        x[i] = rand() % 100000 - 50000;
    largest_of_rows(out, x, rows, columns);
    for (int row = 0; row < rows; row++) {
        int largest = INT_MIN;
        for (int i = row * columns; i < (row + 1) * columns; i++)
            largest = largest < x[i] ? x[i] : largest;
        wrong += out[row] != largest;
    }
    free(x);
    free(out);
    puts(wrong ? "WRONG" : "PASSED");
    return wrong > 0;
}
