// Hopper, step 7: tensor cores read shared memory.
//
// In step 6 each word went from shared memory to registers (ldmatrix), and from there to the tensor
// cores, which are faster than this way. wgmma has no such way: a warpgroup, four warps, issues a
// product of 64 x 16 by 16 x 256 words, and the tensor cores read both matrices from shared memory.
// A *descriptor* of 64 bits says where one lies. The sums stay in registers, and the product is
// asynchronous: the threads continue, and wait for it later. The blocks form no cluster any more.
//
// Passes when tensor cores do all products, in large pieces, and no warp loads their words:
// tensor_flops >= 2*n*n*n, tensor_instructions <= n*n*n/32768, shared_load_requests <= n.
//
//     ctest --test-dir build -R 10-hopper.07
#include "device/matmul_boxes.h" // from step 5: struct stage
#include "device/registers.h"    // from step 6
#include "device/wgmma.h"        // matrix_at, add_product_async, products_fence, _commit, _wait
#include "matmul.h"

#define CONSUMERS 2 // warpgroups of 64 x 256 sums
#define THREADS (128 * CONSUMERS + 128)

struct ring {
    struct stage stage[STAGES];
    mbarrier full[STAGES], empty[STAGES];
};

__device__ void open_ring(struct ring *r)
{
    for (int s = 0; s < STAGES && threadIdx.x == 0; s++) {
        mbarrier_init(&r->full[s], 1);
        mbarrier_init(&r->empty[s], CONSUMERS);
    }
    mbarrier_init_fence();
    __syncthreads();
}

// One thread copies all tiles.
__device__ void produce(struct ring *r, int tiles, const CUtensorMap *a, const CUtensorMap *b, int row, int column)
{
    for (int t = 0; t < tiles; t++) {
        int s = t % STAGES;
        if (t >= STAGES)
            wait_for_phase(&r->empty[s], (t / STAGES + 1) % 2);
        arrive_and_expect(&r->full[s], sizeof(struct stage));
        box_load(r->stage[s].a, a, row, t * DEPTH, &r->full[s]);
        for (int q = 0; q < COLUMNS / 64; q++)
            box_load(r->stage[s].b[q], b, t * DEPTH, column + 64 * q, &r->full[s]);
    }
}

// Issues the products of 64 rows of A's tile, from this one on, and B's tile: four, one group.
__device__ void start_products(float sum[128], const struct stage *from, int row, bool first)
{
    products_fence();
    for (int l = 0; l < DEPTH; l += 16) {
        uint64_t a = 0, b = 0;
        // TODO: Describe 64 rows and columns l to l + 15 of A's tile. Describe rows
        // l to l + 15 of B's: its strips are sizeof from->b[0] bytes apart. In
        // both, eight rows take 1024 bytes.
        a = matrix_at(&from->a[row][l / 8], 1024, 0);
        b = matrix_at(&from->b[0][l], 1024, sizeof from->b[0]);
        // END TODO
        add_product_async(sum, a, b, !first || l > 0);
    }
    products_commit();
}

// A consumer warpgroup adds the products of all tiles to its sums.
__device__ void consume(struct ring *r, int tiles, int row, float sum[128])
{
    // TODO: For each tile wait until its stage is full, and start its products. While they
    // run, wait for those of the tile before. Then let one thread of the warpgroup arrive at
    // "empty" of the stage of that tile.
    for (int t = 0; t < tiles; t++) {
        wait_for_phase(&r->full[t % STAGES], t / STAGES % 2);
        start_products(sum, &r->stage[t % STAGES], row, t == 0);
        products_wait(1);
        if (t > 0 && threadIdx.x % 128 == 0)
            arrive(&r->empty[(t - 1) % STAGES]);
    }
    // END TODO
    products_wait(0);
}

// Stores the warpgroup's sums, the first of which is C(i, j): see add_product_async.
__device__ void store_rows(float *c, struct shape s, int i, int j, const float sum[128])
{
    int lane = threadIdx.x % 32;
    i += threadIdx.x % 128 / 32 * 16 + lane / 4, j += lane % 4 * 2;
#pragma unroll
    for (int e = 0; e < COLUMNS / 8; e++) {
        store_pair(c, s.ldc, i, j + 8 * e, s.m, s.n, sum[4 * e], sum[4 * e + 1]);
        store_pair(c, s.ldc, i + 8, j + 8 * e, s.m, s.n, sum[4 * e + 2], sum[4 * e + 3]);
    }
}

__global__ void __launch_bounds__(THREADS, 1) multiply_tiles(float *c, const __grid_constant__ CUtensorMap a,
                                                             const __grid_constant__ CUtensorMap b, struct shape s)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    struct ring *r = (struct ring *)memory;
    int tiles = ceil_div(s.k, DEPTH), row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    int group = threadIdx.x / 128;
    open_ring(r);
    if (group == CONSUMERS) {
        keep_registers(40);
        if (threadIdx.x == 128 * CONSUMERS)
            produce(r, tiles, &a, &b, row, column);
    } else {
        take_registers(232);
        float sum[128];
        consume(r, tiles, 64 * group, sum);
        store_rows(c, s, row + 64 * group, column, sum);
    }
}

static void multiply(float *d_c, const bf16 *d_a, const bf16 *d_b, struct shape s)
{
    if (s.m == 0 || s.n == 0 || s.k == 0) // no map is empty
        return check_cuda(cudaMemset2DAsync(d_c, s.ldc * sizeof *d_c, 0, s.n * sizeof *d_c, s.m));
    int bytes = sizeof(struct ring);
    CUtensorMap a = map_of_words(d_a, s.m, s.k, s.lda, ROWS), b = map_of_words(d_b, s.k, s.n, s.ldb, DEPTH);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    multiply_tiles<<<tiles_of(s, ROWS, COLUMNS), THREADS, bytes>>>(d_c, a, b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_bf16_main(argc, argv, multiply);
}
