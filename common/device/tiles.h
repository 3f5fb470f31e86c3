// tiles.h: what step 10 of chapter 02-scan does within a tile: from step 7 the block's scan, from step 8 the warp's
// corner turning of quads (scan_vector_loads.h). A warp's cache holds 32 * quads of them.
#pragma once

#include "device/scan_vector_loads.h"

#define MAX_QUADS 8 // of a lane

// From step 8. Stores the quads of load_quads in the warp's cache. Returns the sum of the lane's elements: `quads`
// consecutive quads there.
static inline __device__ int turn(int4 *cache, const int4 *quad, int quads)
{
    int lane = threadIdx.x % 32, sum = 0;
    for (int k = 0; k < quads; k++)
        cache[lane + k * 32] = quad[k];
    __syncwarp(); // only this warp uses the cache, so no other waits
    for (int k = 0; k < quads; k++) {
        int4 mine = cache[lane * quads + k];
        sum += mine.x + mine.y + mine.z + mine.w;
    }
    return sum;
}

// From steps 7 and 8. The sum of v over this thread and those below it, with a barrier. sums: shared, one
// for each warp.
static inline __device__ int scan_block(int v, int *sums)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, v, offset);
        v += lane >= offset ? left : 0;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        v += sums[w];
    return v;
}

// From step 8. Stores from out[i] on the exclusive sums of the elements in the warp's cache; sum is that of all before
// the lane's first. At most MAX_QUADS quads.
static inline __device__ void store_sums(int *out, int i, int n, int4 *cache, int quads, int sum)
{
    int lane = threadIdx.x % 32;
    int4 quad[MAX_QUADS];
    for (int k = 0; k < quads; k++) {
        int4 mine = cache[lane * quads + k];
        int x = sum, y = x + mine.x, z = y + mine.y, w = z + mine.z;
        sum = w + mine.w;
        cache[lane * quads + k] = make_int4(x, y, z, w);
    }
    __syncwarp();
    for (int k = 0; k < quads; k++)
        quad[k] = cache[lane + k * 32];
    store_quads(out, quad, quads, i, n);
    __syncwarp(); // before the cache is reused
}
