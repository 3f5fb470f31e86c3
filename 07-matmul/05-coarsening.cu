// Matrix product, step 5: coarser threads.
//
// Neighbouring blocks each load the same tiles of A. Here one block does the work of TILES
// blocks in a row: it loads a tile of A once and uses it for as many tiles of B. A thread
// has TILES sums, TILE columns apart; the word of A that it reads from shared memory
// serves them all.
//
// Passes when A is loaded TILES times less than in step 3: global_load_requests <= 1.4*n*n*n/1024.
//
//     ctest --test-dir build -R 07-matmul.05
#include "matmul.h"

#define TILE 32             // rows and columns of a tile, and threads of a block along x and y
#define BLOCK (TILE * TILE) // threads: at most 64 registers each, which __launch_bounds__ ensures
#define TILES 4             // of B, and of C, for each block

// C = A B, TILES tiles in a row for each block, an element of each for each thread.
__global__ void __launch_bounds__(BLOCK) multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty, j = blockIdx.x * TILES * TILE + tx;
    float sum[TILES] = {};

    // TODO: Do as step 3 does, with a tile of A and TILES tiles of B side by side, loaded with
    // load_or_zero. Add the products of row ty and column t * TILE + tx to sum[t], which belongs to
    // column j + t * TILE. Read each word of the tile of A once for all t.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    for (int t = 0; t < TILES; t++)
        if (i < s.m && j + t * TILE < s.n)
            c[(size_t)i * s.ldc + j + t * TILE] = sum[t];
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    multiply_tiles<<<tiles_of(s, TILE, TILES * TILE), dim3(TILE, TILE)>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
