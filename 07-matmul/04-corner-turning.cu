// Matrix product, step 4: corner turning.
//
// Here A is given transposed: A(i, l) is a[l * lda + i], so that neighbours in memory are
// neighbours in a column of A. Step 3's lanes, along a row of A, would touch 32 sectors. A tile may
// be loaded in any order, as long as each word gets to its place: load it in memory order, and
// transpose it on the way into shared memory, where the order costs nothing if the words lie in
// different banks.
//
// Passes when loads are along memory and nothing conflicts: global_load_sectors <=
// 2*global_load_sectors_ideal, shared_excess == 0.
//
//     ctest --test-dir build -R 07-matmul.04
#include "matmul.h"

#define TILE 32             // rows and columns of a tile, and threads of a block along x and y
#define BLOCK (TILE * TILE) // threads: at most 64 registers each, which __launch_bounds__ ensures

// C = A B, one tile per block, one element per thread. a is the transpose of A: k rows of m.
__global__ void __launch_bounds__(BLOCK) multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE, i = row + ty, j = blockIdx.x * TILE + tx; // row: the first of the tile
    float sum = 0;

    // TODO: Do as step 3 does, with a_tile[y][x] = A(row + y, first + x) again. Load the tile of A
    // with load_or_zero(a, lda, row of a, column of a, k, m), neighbouring lanes along a row of a.
    // Store each word transposed. The 32 words that a warp stores go down a column of a_tile:
    // declare the tile so that they lie in 32 banks.
#define TODO_OPEN // delete this line when the TODO is done
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
    return matmul_main(argc, argv, multiply, TRANSPOSED);
}
