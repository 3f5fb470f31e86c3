// matmul_products.h: step 7 of chapter 10-hopper as step 8 uses it: its ring, the copies of a whole tile, its products
// by wgmma, and the stores of their sums.
#pragma once

#include "device/matmul_boxes.h"
#include "device/wgmma.h"

#define CONSUMERS 2 // warpgroups of 64 x 256 sums

struct ring {
    struct stage stage[STAGES];
    mbarrier full[STAGES], empty[STAGES];
};

static inline __device__ void open_ring(struct ring *r)
{
    for (int s = 0; s < STAGES && threadIdx.x == 0; s++) {
        mbarrier_init(&r->full[s], 1);
        mbarrier_init(&r->empty[s], CONSUMERS);
    }
    mbarrier_init_fence();
    __syncthreads();
}

// Issues the copies of A's tile, from its first row and column l on, and of B's, from row l and its first column on.
static inline __device__ void copy_whole(struct stage *to, mbarrier *full, const CUtensorMap *a, const CUtensorMap *b,
                                         int row, int column, int l)
{
    arrive_and_expect(full, sizeof *to);
    box_load(to->a, a, row, l, full);
    for (int q = 0; q < COLUMNS / 64; q++)
        box_load(to->b[q], b, l, column + 64 * q, full);
}

// Issues the products of 64 rows of A's tile, from this one on, with B's tile: four, one group.
static inline __device__ void start_products(float sum[128], const struct stage *from, int row, bool first)
{
    products_fence();
    for (int l = 0; l < DEPTH; l += 16) {
        uint64_t a = matrix_at(&from->a[row][l / 8], 1024, 0);
        uint64_t b = matrix_at(&from->b[0][l], 1024, sizeof from->b[0]);
        add_product_async(sum, a, b, !first || l > 0);
    }
    products_commit();
}

// Stores the warpgroup's sums, the first of which is C(i, j): see add_product_async.
static inline __device__ void store_rows(float *c, struct shape s, int i, int j, const float sum[128])
{
    int lane = threadIdx.x % 32;
    i += threadIdx.x % 128 / 32 * 16 + lane / 4, j += lane % 4 * 2;
#pragma unroll
    for (int e = 0; e < COLUMNS / 8; e++) {
        store_pair(c, s.ldc, i, j + 8 * e, s.m, s.n, sum[4 * e], sum[4 * e + 1]);
        store_pair(c, s.ldc, i + 8, j + 8 * e, s.m, s.n, sum[4 * e + 2], sum[4 * e + 3]);
    }
}
