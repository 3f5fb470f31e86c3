// matmul_tile_ring.h: step 8 of chapter 07-matmul as step 9 uses it: a ring of STAGES tiles, and words that
// are loaded ahead.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "device/matmul_shape.h"

// Adds to the thread's sums the products of all columns of A and rows of B, DEPTH per stage, WIDTH at a time. The step
// defines start_copies(stage, tile, shape, first), read_words(stage, l), and add_products(sum, words).
template <int STAGES, int DEPTH, int WIDTH, typename STAGE, typename TILE, typename SUM>
static inline __device__ void multiply_stages(STAGE *stages, TILE tile, struct shape s, SUM &sum)
{
    for (int t = 0; t < STAGES - 1; t++) {
        start_copies(&stages[t], tile, s, t * DEPTH);
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    auto now = read_words(&stages[0], 0);
    for (int t = 0; t * DEPTH < s.k; t++) {
        const STAGE *from = &stages[t % STAGES];
#pragma unroll
        for (int l = 0; l < DEPTH; l += WIDTH) {
            if (l == DEPTH - WIDTH) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads();
                from = &stages[(t + 1) % STAGES];
            }
            if (l == 0) {
                int ahead = t + STAGES - 1;
                start_copies(&stages[ahead % STAGES], tile, s, ahead * DEPTH);
                __pipeline_commit();
            }
            auto next = read_words(from, (l + WIDTH) % DEPTH);
            add_products(sum, now);
            now = next;
        }
    }
}
