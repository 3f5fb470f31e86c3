// Matrix product, step 2: lanes along a row.
//
// Step 1 paid for lanes that run down a column: a load of A touched 32 sectors, and so did the
// store of C. Here neighbouring threads take neighbouring columns. A warp's words of B are
// neighbours, 4 sectors; its word of A is the same for all lanes, 1 sector.
//
// Passes when requests touch no more sectors than their lanes' words fill, or few more:
// global_load_sectors <= global_load_sectors_ideal, global_store_sectors <=
// 1.5*global_store_sectors_ideal.
//
//     ctest --test-dir build -R 07-matmul.02
#include "matmul.h"

#define WIDTH 32 // threads of a block along x: a warp
#define HEIGHT 8 // and along y

// C = A B, one element per thread.
__global__ void multiply_elements(float *c, const float *a, const float *b, struct shape s)
{
    // TODO: Do as step 1 does, but with the lanes of a warp along a row of C: x counts columns,
    // y counts rows.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    multiply_elements<<<tiles_of(s, HEIGHT, WIDTH), dim3(WIDTH, HEIGHT)>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
