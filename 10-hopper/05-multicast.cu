// Hopper, step 5: a cluster loads each tile once.
//
// In step 9 of chapter 7 blocks of a row of C loaded the same words of A, blocks of a column those
// of B. Here 2 x 2 blocks form a cluster. Two of them need the same tile of A: each loads a half of
// it, which the copy engine writes to both (multicast). The same holds for B. A stage is refilled
// once all blocks that get it are done: their warps arrive at "empty" of the blocks that load it.
//
// Passes when tensor cores do all products, and each word is loaded once for two blocks:
// bulk_load_bytes <= 7*n*n, tensor_instructions >= n*n*n/2048, global_load_requests <= n.
//
//     ctest --test-dir build -R 10-hopper.05
#include "device/cluster_copy.h"
#include "device/tensor.h" // load_matrices, load_transposed_matrices, multiply_add, store_sums
#include "matmul.h"

#define ROWS 128    // of a block's tile of C
#define COLUMNS 256 // of a block's tile of C
#define DEPTH 64    // columns of A and rows of B in one stage: 128 bytes
#define STAGES 4
#define WARPS 8 // 2 x 4 warps of 64 x 64 sums

struct stage { // in quads of 16 bytes, swizzled by the copy engine
    uint4 a[ROWS][8];
    uint4 b[COLUMNS / 64][DEPTH][8]; // in strips of 64 columns
};
struct ring {
    struct stage stage[STAGES];
    mbarrier full[STAGES], empty[STAGES];
};

// Issues the copies of this block: its share of columns t * DEPTH, ... of A and of these rows of B.
__device__ void copy_tile(struct ring *r, int t, const CUtensorMap *a, const CUtensorMap *b, int row, int column)
{
    mbarrier *full = &r->full[t % STAGES];
    arrive_and_expect(full, sizeof(struct stage)); // also of what the neighbours load

    // TODO: In the cluster the block is in column x = rank % 2, row y = rank / 2. Load into stage
    // t % STAGES a half of A's tile, from its row x * ROWS / 2 on, for blocks 2 y and 2 y + 1. Load
    // strips 2 y and 2 y + 1 of B's tile, for blocks x and x + 2. All bytes count at full.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

__device__ void open_ring(struct ring *r)
{
    for (int s = 0; s < STAGES && threadIdx.x == 0; s++) {
        mbarrier_init(&r->full[s], 1);
        mbarrier_init(&r->empty[s], 3 * WARPS); // of this block, and of its neighbours in row and column
    }
    mbarrier_init_fence();
    cluster_barrier(); // no copy and no arrival comes before
}

// Adds the stage's products to the warp's sums.
__device__ void add_products(float sum[4][8][4], const struct stage *from)
{
    int warp = threadIdx.x / 32, row = threadIdx.x % 16, half = threadIdx.x % 32 / 16;
#pragma unroll
    for (int l = 0; l < DEPTH; l += 16) {
        uint4 a[4];
#pragma unroll
        for (int q = 0; q < 4; q++)
            a[q] = load_matrices(&from->a[warp / 4 * 64 + row + 16 * q][(l / 8 + half) ^ row % 8]);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            uint4 b = load_transposed_matrices(&from->b[warp % 4][l + row][(2 * q + half) ^ row % 8]);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                multiply_add(sum[k][2 * q], a[k], b.x, b.y);
                multiply_add(sum[k][2 * q + 1], a[k], b.z, b.w);
            }
        }
    }
}

__global__ void __cluster_dims__(2, 2) __launch_bounds__(32 * WARPS)
    multiply_tiles(float *c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                   struct shape s)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    struct ring *r = (struct ring *)memory;
    int tiles = ceil_div(s.k, DEPTH), row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS, warp = threadIdx.x / 32;
    bool inside = row + warp / 4 * 64 < s.m && column + warp % 4 * 64 < s.n;
    float sum[4][8][4] = {};
    open_ring(r);
    for (int t = 0; t < STAGES && t < tiles && threadIdx.x == 0; t++)
        copy_tile(r, t, &a, &b, row, column);
    for (int t = 0; t < tiles; t++) {
        wait_for_cluster_phase(&r->full[t % STAGES], t / STAGES % 2);
        if (inside) // C has some of the warp's sums
            add_products(sum, &r->stage[t % STAGES]);
        // TODO: Once all lanes are done with the stage, let lane 0 arrive at "empty" in this block.
        // Let lanes 1 and 2 arrive in the blocks whose ranks differ in bit 0 and in bit 1. Then let
        // thread 0 wait for this phase, and copy tile t + STAGES, if there is one.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
    }
    store_sums(c, s, row, column, sum);
    cluster_barrier(); // neighbours still arrive here, and write here
}

static void multiply(float *d_c, const bf16 *d_a, const bf16 *d_b, struct shape s)
{
    if (s.m == 0 || s.n == 0 || s.k == 0) // no map is empty
        return check_cuda(cudaMemset2DAsync(d_c, s.ldc * sizeof *d_c, 0, s.n * sizeof *d_c, s.m));
    dim3 grid = tiles_of(s, 2 * ROWS, 2 * COLUMNS);
    int bytes = sizeof(struct ring);
    CUtensorMap a = map_of_words(d_a, s.m, s.k, s.lda, ROWS / 2), b = map_of_words(d_b, s.k, s.n, s.ldb, DEPTH);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    multiply_tiles<<<dim3(2 * grid.x, 2 * grid.y), 32 * WARPS, bytes>>>(d_c, a, b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_bf16_main(argc, argv, multiply);
}
