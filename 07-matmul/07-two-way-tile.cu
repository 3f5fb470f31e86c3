// Matrix product, step 7: 8 x 8 sums per thread.
//
// Step 6 read a word for every product. Here a thread reads 8 words of A and 8 of B, all in quads
// of 16 bytes, and computes 64 products from them: 4 loads instead of 64. The tile of A is stored
// transposed, for the quads of A. Its 8 rows are two quads TILE/2 apart, its 8 columns too: so the
// lanes' quads are neighbours, without bank conflicts.
//
// Passes when a product costs at most a quarter of a shared load, and nothing conflicts:
// shared_load_requests <= n*n*n/128, shared_excess == 0.
//
//     ctest --test-dir build -R 07-matmul.07
#include "matmul.h"

#define TILE 128         // rows and columns of a block's tile of C
#define SIDE 16          // threads of a block along x and y
#define DEPTH 8          // columns of A and rows of B that are in shared memory at a time
#define PITCH (TILE + 4) // of a row of a_tile: rows l and l + 4 begin half of the banks apart

// sum += the products of the thread's 8 words of A's tile and 8 words of B's, in row l of both.
__device__ void add_products(float sum[8][8], const float *a_row, const float *b_row)
{
    float4 a[2] = {}, b[2] = {};
    // TODO: Read the thread's quads by loads of 16 bytes. Two are in a_row, at 4 * threadIdx.y and
    // TILE/2 further; two are in b_row, at 4 * threadIdx.x and TILE/2 further.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int q = 0; q < 8; q++)
            sum[r][q] += (&a[r / 4].x)[r % 4] * (&b[q / 4].x)[q % 4];
}

// C = A B, one tile per block, 8 x 8 elements per thread.
__global__ void multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    __shared__ __align__(16) float a_tile[DEPTH][PITCH], b_tile[DEPTH][TILE];
    int i = blockIdx.y * TILE, j = blockIdx.x * TILE;
    float sum[8][8] = {};

    for (int first = 0; first < s.k; first += DEPTH) {
        // TODO: Let each thread load a quad of A, two threads to a row, and a quad of B, a warp to
        // a row. Store the quad of A transposed: a_tile[l][y] = A(i + y, first + l).
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
        __syncthreads();
#pragma unroll
        for (int l = 0; l < DEPTH; l++)
            add_products(sum, a_tile[l], b_tile[l]);
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++) // rows and columns as in add_products
#pragma unroll
        for (int q = 0; q < 2; q++) {
            int row = i + 4 * threadIdx.y + r / 4 * (TILE / 2) + r % 4;
            float4 quad = make_float4(sum[r][4 * q], sum[r][4 * q + 1], sum[r][4 * q + 2], sum[r][4 * q + 3]);
            store_quad(c, s.ldc, row, j + 4 * threadIdx.x + q * (TILE / 2), s.m, s.n, quad);
        }
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    multiply_tiles<<<tiles_of(s, TILE, TILE), dim3(SIDE, SIDE)>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
