// Matrix product, step 8: the next tiles are in flight while this one is multiplied.
//
// In step 7 a block loads a tile, waits, multiplies it, and loads the next one. Here asynchronous
// copies (cp.async) go from global to shared memory and fill a ring of STAGES tiles: one is being
// multiplied, the others are in flight, and one barrier per tile is enough. In the same way the
// words of column l + 1 are read before column l is multiplied. A thread computes 16 x 8 sums.
//
// Passes when barriers <= n*n*n/400000, shared_load_requests <= n*n*n/600, shared_excess == 0.
//
//     ctest --test-dir build -R 07-matmul.08
#include "device/matmul_register_tile.h" // read_words, add_products, store_sums: as in step 7
#include "matmul.h"

#define ROWS 128    // of a block's tile of C
#define COLUMNS 256 // of a block's tile of C
#define DEPTH 16    // columns of A and rows of B in one of STAGES
#define STAGES 3

struct stage {
    float a[DEPTH][ROWS + 4]; // transposed; four words of padding: a warp's copies do not conflict
    float b[DEPTH][COLUMNS];
};

// Fills a stage with columns first .. of A and rows first .. of B; zeros outside them.
__device__ void start_copies(struct stage *to, struct tile<float> c, struct shape s, int first)
{
    int y = threadIdx.x / 8, l = threadIdx.x % 8, z = threadIdx.x / 64, x = threadIdx.x % 64 * 4;
    if (c.whole && first + DEPTH <= s.k) {
        // TODO: Start the copies (__pipeline_memcpy_async). A: words, stored transposed; from
        // c.first_a, every 32nd row and every 8th column. B: quads; from c.first_b, every 4th row.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
    } else {
#pragma unroll 1
        for (int r = y; r < ROWS; r += 32)
            for (int d = l; d < DEPTH; d += 8)
                to->a[d][r] = load_or_zero(c.a, s.lda, c.i + r, first + d, s.m, s.k);
#pragma unroll 1
        for (int d = z; d < DEPTH; d += 4)
            *(float4 *)&to->b[d][x] = load_quad(c.b, s.ldb, first + d, c.j + x, s.k, s.n);
    }
}

__global__ void __launch_bounds__(THREADS) multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    extern __shared__ struct stage stages[];
    struct tile<float> tile = tile_of_block(a, b, s, ROWS, COLUMNS, 1);
    float sum[16][8] = {};
    for (int t = 0; t < STAGES - 1; t++) {
        start_copies(&stages[t], tile, s, t * DEPTH);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    struct words now = read_words(stages[0].a[0], stages[0].b[0]);
    for (int t = 0; t * DEPTH < s.k; t++) {
        const struct stage *from = &stages[t % STAGES];
#pragma unroll
        for (int l = 0; l < DEPTH; l++) {
            // TODO: In the last column, wait until the copies of the next stage have arrived for
            // all threads (__pipeline_wait_prior). Then read from that stage.
#define TODO_OPEN // delete this line when the TODO is done
            // END TODO
            struct words next = read_words(from->a[(l + 1) % DEPTH], from->b[(l + 1) % DEPTH]);
            // TODO: At column 1, start the copies of the tile STAGES - 1 ahead, and commit them.
#define TODO_OPEN // delete this line when the TODO is done
            // END TODO
            add_products(sum, now);
            now = next;
        }
    }
    store_sums(c, s, tile.i, tile.j, sum);
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    size_t bytes = STAGES * sizeof(struct stage);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    multiply_tiles<<<tiles_of(s, ROWS, COLUMNS), THREADS, bytes>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_main(argc, argv, multiply, PLAIN);
}
