// Matrix product, step 6: one operand in registers.
//
// Step 5 read 5 words from shared memory for 4 products, and a multiprocessor has far
// fewer passes through shared memory than multiply-adds. Volkov and Demmel's way: a
// thread takes a column of the block's tile of C, ROWS sums in registers. A word of B
// is used by one thread only, for all ROWS: it goes from global memory straight into a
// register. Only A, which all threads use, is in shared memory.
//
// Passes when a product costs at most one word of shared memory, where step 3 had 2:
// shared_load_requests <= 1.1*n*n*n/32.
//
//     ctest --test-dir build -R 07-matmul.06
#include "matmul.h"

#define ROWS 32     // of C per thread, and of the tile of A
#define COLUMNS 128 // of C per block, one thread each
#define DEPTH 32    // columns of the tile of A: a warp

// C = A B, ROWS x COLUMNS elements per block, one column of them per thread.
__global__ void multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    int i = blockIdx.y * ROWS, j = blockIdx.x * COLUMNS + threadIdx.x;
    float sum[ROWS] = {};

    // TODO: Declare the tile of A in shared memory. Let the warps load its rows, DEPTH words at a
    // time, with load_or_zero. For each of its columns, load the thread's word of B into a
    // register. Add its products with the words of that column to the ROWS sums. Unroll the loop
    // over the rows (#pragma unroll): an array stays in registers only if all its indices are known
    // at compile time.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (i + r < s.m && j < s.n)
            c[(size_t)(i + r) * s.ldc + j] = sum[r];
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    multiply_tiles<<<tiles_of(s, ROWS, COLUMNS), COLUMNS>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
