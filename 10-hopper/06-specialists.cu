// Hopper, step 6: one warp copies, eight multiply.
//
// In step 5 thread 0 issued the copies and also multiplied. Before each copy it waited for the
// slowest of 24 warps, and its own products waited, too. Here warps have roles. A *producer* warp
// only copies, as far ahead as the ring has room. Eight *consumer* warps only multiply, and arrive
// at an mbarrier of their own block: the producer passes this on to the neighbours. The products
// use more registers than a thread of 384 gets: the producer's warpgroup gives up most of its own.
//
// Passes when tensor cores do all products, and no warp both copies and multiplies:
// tensor_instructions >= n*n*n/2048, mixed_warps == 0.
//
//     ctest --test-dir build -R 10-hopper.06
#include "device/matmul_boxes.h" // from step 5: struct stage, copy_share, add_products
#include "device/registers.h"    // keep_registers, take_registers
#include "matmul.h"

#define CONSUMERS 8                    // 2 x 4 warps of 64 x 64 sums
#define THREADS (32 * CONSUMERS + 128) // the last warpgroup produces: one warp of it

struct ring {
    struct stage stage[STAGES];
    mbarrier full[STAGES];  // all bytes of the stage have arrived
    mbarrier done[STAGES];  // the consumers of this block are done with it
    mbarrier empty[STAGES]; // those of all blocks are that this block copies to, or gets copies from
};

__device__ void open_ring(struct ring *r)
{
    for (int s = 0; s < STAGES && threadIdx.x == 0; s++) {
        mbarrier_init(&r->full[s], 1);
        mbarrier_init(&r->done[s], CONSUMERS);
        mbarrier_init(&r->empty[s], 3); // producers: of this block, and of its neighbours in row and column
    }
    mbarrier_init_fence();
    cluster_barrier(); // no copy and no arrival comes before
}

// The producer warp copies all tiles.
__device__ void produce(struct ring *r, int tiles, const CUtensorMap *a, const CUtensorMap *b, int row, int column)
{
    for (int t = 0; t < tiles; t++) {
        // TODO: From tile STAGES on, wait until this block's consumers are done with the
        // stage. Then let lanes 0, 1 and 2 arrive at "empty": in this block and in its
        // two neighbours, as in step 5. Lane 0 waits for this block's "empty", and
        // copies the block's share of tile t.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
    }
}

// A consumer warp adds the products of all tiles to its sums.
__device__ void consume(struct ring *r, int tiles, bool inside, float sum[4][8][4])
{
    for (int t = 0; t < tiles; t++) {
        int s = t % STAGES;
        wait_for_phase(&r->full[s], t / STAGES % 2);
        if (inside)
            add_products(sum, &r->stage[s]);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&r->done[s]);
    }
}

__global__ void __cluster_dims__(2, 2) __launch_bounds__(THREADS, 1)
    multiply_tiles(float *c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                   struct shape s)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    struct ring *r = (struct ring *)memory;
    open_ring(r);
    // TODO: Give the warps their roles. The last warpgroup keeps 40 registers, and its first
    // warp produces. The others take 232, consume, and store their sums. A warp is inside if
    // C has some of its 64 x 64 sums.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    cluster_barrier(); // neighbours still arrive here, and their copies of here may be in flight
}

static void multiply(float *d_c, const bf16 *d_a, const bf16 *d_b, struct shape s)
{
    if (s.m == 0 || s.n == 0 || s.k == 0) // no map is empty
        return check_cuda(cudaMemset2DAsync(d_c, s.ldc * sizeof *d_c, 0, s.n * sizeof *d_c, s.m));
    dim3 grid = tiles_of(s, 2 * ROWS, 2 * COLUMNS);
    int bytes = sizeof(struct ring);
    CUtensorMap a = map_of_words(d_a, s.m, s.k, s.lda, ROWS / 2), b = map_of_words(d_b, s.k, s.n, s.ldb, DEPTH);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    multiply_tiles<<<dim3(2 * grid.x, 2 * grid.y), THREADS, bytes>>>(d_c, a, b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_bf16_main(argc, argv, multiply);
}
