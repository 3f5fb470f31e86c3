// Matrix product, step 3: tiles in shared memory.
//
// Step 2 paid for two loads from global memory for every product. But the 32 threads of a row of a
// tile read the same row of A, and the 32 of a column the same column of B. Here a block loads a
// tile of each, once, and all its threads use them: 32 times less to load.
//
// Passes when an element of C costs 2 k / 32 loads: global_load_requests <= 2.2*n*n*n/1024.
//
//     ctest --test-dir build -R 07-matmul.03
#include "matmul.h"

#define TILE 32             // rows and columns of a tile, and threads of a block along x and y
#define BLOCK (TILE * TILE) // threads: at most 64 registers each, which __launch_bounds__ ensures

// Element (row, column) of a matrix, or 0 outside it: zeros beyond the edges
// add nothing.
__device__ float load(const float *x, int ld, int row, int column, int rows, int columns)
{
    return row < rows && column < columns ? x[(size_t)row * ld + column] : 0;
}

// C = A B, one tile per block, one element per thread.
__global__ void __launch_bounds__(BLOCK) multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    float sum = 0;

    // TODO: Declare two tiles in shared memory. Go along the block's rows of A
    // and columns of B, TILE elements at a time. Load a tile of each with load:
    // every thread loads a word of both, neighbouring lanes along a row. Then
    // add to sum the products of row ty of one tile and column tx of the other.
    // All threads wait at a barrier before the tiles are read and before they
    // are overwritten.
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    for (int first = 0; first < s.k; first += TILE) {
        a_tile[ty][tx] = load(a, s.lda, i, first + tx, s.m, s.k);
        b_tile[ty][tx] = load(b, s.ldb, first + ty, j, s.k, s.n);
        __syncthreads(); // both tiles are loaded
        for (int l = 0; l < TILE; l++)
            sum += a_tile[ty][l] * b_tile[l][tx];
        __syncthreads(); // no thread reads them any more
    }
    // END TODO

    if (i < s.m && j < s.n)
        c[(size_t)i * s.ldc + j] = sum;
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    multiply_tiles<<<tiles_of(s, TILE, TILE), dim3(TILE, TILE)>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
