// Hopper, step 8: resident blocks walk over the tiles.
//
// In step 7 a block computed one tile of C: it started with an empty ring, and no product ran while
// it stored its sums. The next block came after that. Here there is one block for each
// multiprocessor, and it computes tile after tile. The producer does not stop between them: while
// the consumers store the sums of one tile, the stages of the next arrive. The order of the tiles
// matters, too: those that are computed at the same time should share rows of A and columns of B in
// the L2 cache.
//
// Passes when one launch has no more blocks than the device has multiprocessors, 16 on the SIMT
// machine: launches == 1, blocks <= 16.
//
//     ctest --test-dir build -R 10-hopper.08
#include "device/matmul_products.h" // from step 7: struct ring, open_ring, copy_whole, start_products, store_rows
#include "device/registers.h"       // from step 6
#include "matmul.h"

#define THREADS (128 * CONSUMERS + 128)
#define GROUP 8 // rows of tiles that are computed together

struct corner { // of a tile of C: its first element
    int row, column;
};

__device__ int count_tiles(struct shape s)
{
    return ceil_div(s.m, ROWS) * ceil_div(s.n, COLUMNS);
}

// The tile with this number.
__device__ struct corner corner_of(int number, struct shape s)
{
    struct corner c = {0, 0};
    // TODO: Number the tiles: those of the first GROUP rows of tiles, column by column, then
    // those of the next GROUP rows. The last group may have fewer rows.
    int down = ceil_div(s.m, ROWS), whole = GROUP * ceil_div(s.n, COLUMNS); // tiles of a whole group
    int top = number / whole * GROUP, rows = min(GROUP, down - top), i = number % whole;
    c = {(top + i % rows) * ROWS, i / rows * COLUMNS};
    // END TODO
    return c;
}

// One thread copies the tiles of A and B for all tiles of C that are the block's.
__device__ void produce(struct ring *r, const CUtensorMap *a, const CUtensorMap *b, struct shape s)
{
    int used = 0; // stages so far
    for (int number = blockIdx.x; number < count_tiles(s); number += gridDim.x) {
        struct corner c = corner_of(number, s);
        for (int l = 0; l < s.k; l += DEPTH, used++) {
            int to = used % STAGES;
            if (used >= STAGES)
                wait_for_phase(&r->empty[to], (used / STAGES + 1) % 2);
            copy_whole(&r->stage[to], &r->full[to], a, b, c.row, c.column, l);
        }
    }
}

// Adds up the products of 64 rows, from this one on, of a tile of C. used: stages so far.
__device__ int multiply_tile(struct ring *r, int used, int row, float sum[128], struct shape s)
{
    // TODO: For each DEPTH columns of A wait for the stage, and start its products. While they
    // run, wait for those of the stage before, and give that back, as in step 7. At the end wait
    // for all products, and give back the last stage, too.
    for (int l = 0; l < s.k; l += DEPTH, used++) {
        wait_for_phase(&r->full[used % STAGES], used / STAGES % 2);
        start_products(sum, &r->stage[used % STAGES], row, l == 0);
        products_wait(1);
        if (l > 0 && threadIdx.x % 128 == 0)
            arrive(&r->empty[(used - 1) % STAGES]);
    }
    products_wait(0);
    if (threadIdx.x % 128 == 0)
        arrive(&r->empty[(used - 1) % STAGES]);
    // END TODO
    return used;
}

// A consumer warpgroup computes 64 rows, from this one on, of all tiles of C that are the block's.
__device__ void consume(struct ring *r, int row, float *to, struct shape s)
{
    int used = 0;
    float sum[128];
    for (int number = blockIdx.x; number < count_tiles(s); number += gridDim.x) {
        struct corner c = corner_of(number, s);
        used = multiply_tile(r, used, row, sum, s);
        store_rows(to, s, c.row + row, c.column, sum);
    }
}

__global__ void __launch_bounds__(THREADS, 1) multiply_tiles(float *c, const __grid_constant__ CUtensorMap a,
                                                             const __grid_constant__ CUtensorMap b, struct shape s)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    struct ring *r = (struct ring *)memory;
    open_ring(r);
    if (threadIdx.x >= 128 * CONSUMERS) {
        keep_registers(40);
        if (threadIdx.x == 128 * CONSUMERS)
            produce(r, &a, &b, s);
    } else {
        take_registers(232);
        consume(r, threadIdx.x / 128 * 64, c, s);
    }
}

static void multiply(float *d_c, const bf16 *d_a, const bf16 *d_b, struct shape s)
{
    if (s.m == 0 || s.n == 0 || s.k == 0) // no map is empty
        return check_cuda(cudaMemset2DAsync(d_c, s.ldc * sizeof *d_c, 0, s.n * sizeof *d_c, s.m));
    int bytes = sizeof(struct ring), tiles = ceil_div(s.m, ROWS) * ceil_div(s.n, COLUMNS), blocks;
    CUtensorMap a = map_of_words(d_a, s.m, s.k, s.lda, ROWS), b = map_of_words(d_b, s.k, s.n, s.ldb, DEPTH);
    check_cuda(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0)); // a ring leaves room for one
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    multiply_tiles<<<min(blocks, tiles), THREADS, bytes>>>(d_c, a, b, s);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return matmul_bf16_main(argc, argv, multiply);
}
