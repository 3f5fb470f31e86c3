// Matrix product, step 9: the tensor cores multiply.
//
// A and B are bf16 here, 16-bit words, and sums stay floats. One instruction, executed by a whole
// warp together, adds a product of 16 x 16 by 16 x 8 words to 16 x 8 sums: 2048 multiply-adds,
// where a warp's fma does 32. Its operands are spread over the lanes in a fixed pattern, and
// ldmatrix reads them in that pattern from shared memory: four 8 x 8 matrices at once, each lane
// passing the address of one row of 16 bytes. The eight rows of a matrix must not share a bank: the
// quads of a row are swizzled, which costs no memory. The rest is step 8 (matmul_tile_ring.h).
//
// Passes when the tensor cores do all products and nothing conflicts: tensor_instructions >=
// n*n*n/2048, shared_excess == 0.
//
//     ctest --test-dir build -R 07-matmul.09
#include "device/matmul_tile_ring.h" // multiply_stages: from step 8
#include "device/tensor.h"           // load_matrices, load_transposed_matrices, multiply_add
#include "matmul.h"

#define ROWS 128    // of a block's tile of C
#define COLUMNS 256 // of a block's tile of C
#define DEPTH 64    // columns of A and rows of B in one stage
#define STAGES 3
#define THREADS 256 // 2 x 4 warps of 64 x 64 sums

struct stage { // in quads of 16 bytes, 8 words. Quad q of a row lies at swizzle(row, q)
    uint4 a[ROWS][DEPTH / 8];
    uint4 b[DEPTH][COLUMNS / 8];
};
struct words { // of 16 columns of A's tile and 16 rows of B's: each a matrix of 16 x 16
    uint4 a[4], b[4];
};
__device__ int swizzle(int row, int quad)
{
    int place = quad;
    // TODO: Swizzle: in eight consecutive rows, the same quad must lie in eight different places
    // modulo 8. No two quads of a row may share a place.
    place = quad ^ row % 8;
    // END TODO
    return place;
}

// Fills a stage with columns first .. of A and rows first .. of B, and with zeros outside them.
// Whole tiles are copied asynchronously.
__device__ void start_copies(struct stage *to, struct tile<bf16> c, struct shape s, int first)
{
    int t = threadIdx.x, y = t / 8, l = t % 8, z = t / 32, x = t % 32;
    if (c.whole && first + DEPTH <= s.k) {
#pragma unroll
        for (int r = 0; r < ROWS; r += 32)
            __pipeline_memcpy_async(&to->a[y + r][swizzle(y, l)], c.first_a + (size_t)r * s.lda + first, 16);
#pragma unroll
        for (int d = 0; d < DEPTH; d += 8)
            __pipeline_memcpy_async(&to->b[z + d][swizzle(z, x)], c.first_b + (size_t)(first + d) * s.ldb, 16);
    } else {
#pragma unroll 1
        for (int r = y; r < ROWS; r += 32)
            to->a[r][swizzle(y, l)] = load_eight(c.a, s.lda, c.i + r, first + 8 * l, s.m, s.k);
#pragma unroll 1
        for (int d = z; d < DEPTH; d += 8)
            to->b[d][swizzle(z, x)] = load_eight(c.b, s.ldb, first + d, c.j + 8 * x, s.k, s.n);
    }
}

// Lanes 0 to 15 pass the rows of a 16 x 16 matrix's left half, lanes 16 to 31 of its right half.
__device__ struct words read_words(const struct stage *from, int l)
{
    struct words w = {};
    // TODO: Read the warp's four matrices of A, one below the other, with load_matrices. Read its
    // four of B, side by side, with load_transposed_matrices.
    int warp = threadIdx.x / 32, row = threadIdx.x % 16, half = threadIdx.x % 32 / 16;
    int y = warp / 4 * 64 + row, x = warp % 4 * 8 + half;
#pragma unroll
    for (int q = 0; q < 4; q++)
        w.a[q] = load_matrices(&from->a[y + 16 * q][swizzle(y, l / 8 + half)]);
#pragma unroll
    for (int q = 0; q < 4; q++)
        w.b[q] = load_transposed_matrices(&from->b[l + row][swizzle(row, x + 2 * q)]);
    // END TODO
    return w;
}

__device__ void add_products(float sum[4][8][4], struct words w)
{
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int q = 0; q < 4; q++) {
            // TODO: Add the products of matrix r of A with matrix q of B, which is two of 16 x 8.
            multiply_add(sum[r][2 * q], w.a[r], w.b[q].x, w.b[q].y);
            multiply_add(sum[r][2 * q + 1], w.a[r], w.b[q].z, w.b[q].w);
            // END TODO
        }
}

__global__ void __launch_bounds__(THREADS) multiply_tiles(float *c, const bf16 *a, const bf16 *b, struct shape s)
{
    extern __shared__ struct stage stages[];
    struct tile<bf16> tile = tile_of_block(a, b, s, ROWS, COLUMNS, 8);
    float sum[4][8][4] = {};
    multiply_stages<STAGES, DEPTH, 16>(stages, tile, s, sum);
    store_sums(c, s, tile.i, tile.j, sum);
}

static void multiply(float *d_c, const bf16 *d_a, const bf16 *d_b, struct shape s)
{
    size_t bytes = STAGES * sizeof(struct stage);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    multiply_tiles<<<tiles_of(s, ROWS, COLUMNS), THREADS, bytes>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_bf16_main(argc, argv, multiply);
}
