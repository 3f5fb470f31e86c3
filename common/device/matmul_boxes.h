// matmul_boxes.h: step 5 of chapter 10-hopper as steps 6 to 8 use it: tiles of A and B in shared memory as the copy
// engine writes them, the copies of a cluster, and products by mma.sync.
#pragma once

#include "device/cluster_copy.h"
#include "device/tensor.h"

#define ROWS 128    // of a block's tile of C
#define COLUMNS 256 // of a block's tile of C
#define DEPTH 64    // columns of A and rows of B in one stage: 128 bytes
#define STAGES 4

struct stage { // in quads of 16 bytes, swizzled by the copy engine
    uint4 a[ROWS][8];
    uint4 b[COLUMNS / 64][DEPTH][8]; // in strips of 64 columns
};

// Issues the copies of a block in a cluster of 2 x 2: a half of A's tile, from its first row and column l on, for the
// blocks of its row, and a half of B's, from row l and its first column on, for those of its column. The phase of full
// expects the whole stage.
static inline __device__ void copy_share(struct stage *to, mbarrier *full, const CUtensorMap *a, const CUtensorMap *b,
                                         int row, int column, int l)
{
    int x = cluster_rank() % 2, y = cluster_rank() / 2;
    arrive_and_expect(full, sizeof *to);
    box_load_for(3 << 2 * y, to->a[x * ROWS / 2], a, row + x * ROWS / 2, l, full);
    for (int s = 2 * y; s < 2 * y + 2; s++)
        box_load_for(5 << x, to->b[s], b, l, column + 64 * s, full);
}

// Adds the stage's products to the sums of the warp, one of 2 x 4 with 64 x 64 sums each.
static inline __device__ void add_products(float sum[4][8][4], const struct stage *from)
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
