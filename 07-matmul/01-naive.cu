// Matrix product, step 1: a thread for every element of C.
//
// C = A B. An element of C is the dot product of a row of A and a column of B. A thread
// computes one. Neighbouring threads take neighbouring rows: their words of A, and of
// C, lie a whole row apart.
//
// Passes when C is right and no product is computed twice: flops <= 2.1*n*n*n. Look at the sectors
// per load: 16.5, the mean of 32 for A and 1 for B.
//
//     ctest --test-dir build -R 07-matmul.01
#include "matmul.h"

#define WIDTH 32 // threads of a block along x: a warp
#define HEIGHT 8 // and along y

// C = A B, one element per thread.
__global__ void multiply_elements(float *c, const float *a, const float *b, struct shape s)
{
    // TODO: Compute the thread's row i from x and its column j from y; a thread outside C does
    // nothing. Store the dot product of row i of A and column j of B as element (i, j) of C. If k
    // is 0, store 0. A row begins lda, ldb or ldc words after the previous one. Note that i * lda
    // may not fit in an int.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    dim3 blocks(max(1, ceil_div(s.m, WIDTH)), max(1, ceil_div(s.n, HEIGHT)));
    multiply_elements<<<blocks, dim3(WIDTH, HEIGHT)>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
