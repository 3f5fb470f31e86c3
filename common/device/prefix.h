// prefix.h: from step 7 of chapter 02-scan, for programs that need prefix sums as an intermediate step.
//
//     exclusive_scan(d_x, d_tmp, n)      in place, any n up to 2^30: 1, 3 or 5 launches, 16 bytes of traffic a word
//     block_scan(v)                      over the threads of a block, one barrier
//     warp_scan(v)                       over the 32 lanes of a warp, in registers
//
// Sums are unsigned: they wrap around.
#pragma once

#include "device/launch.h"

#define SCAN_TILE 1024 // words of a tile, one per thread

// The sum of v over the lanes of the warp up to and including this one. All 32 lanes must call it.
static inline __device__ unsigned warp_scan(unsigned v)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned left = __shfl_up_sync(0xffffffff, v, offset);
        v += threadIdx.x % 32 >= offset ? left : 0;
    }
    return v;
}

// The sum of v over the threads of the block below this one. All threads must call it, in whole warps, with a barrier
// between two calls.
static inline __device__ unsigned block_scan(unsigned v)
{
    __shared__ unsigned ends[32]; // one per warp
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    unsigned sum = warp_scan(v);
    if (lane == 31)
        ends[warp] = sum;
    __syncthreads();
    unsigned up_to = warp_scan(lane < warps ? ends[lane] : 0); // in every warp, which saves a second barrier
    unsigned before = __shfl_sync(0xffffffff, up_to, (warp + 31) % 32);
    return sum - v + (warp > 0 ? before : 0);
}

// x[i] = sum of the elements of i's tile before x[i], for i < n; sums[t] = sum of tile t.
static __global__ void scan_tiles(unsigned *x, unsigned *sums, int n)
{
    int i = blockIdx.x * SCAN_TILE + threadIdx.x;
    unsigned v = i < n ? x[i] : 0, sum = block_scan(v);

    if (i < n)
        x[i] = sum;
    if (threadIdx.x == SCAN_TILE - 1)
        sums[blockIdx.x] = sum + v;
}

static __global__ void add_before(unsigned *x, const unsigned *before, int n)
{
    int i = blockIdx.x * SCAN_TILE + threadIdx.x;
    if (i < n)
        x[i] += before[blockIdx.x];
}

// d_x[i] = d_x[0] + ... + d_x[i - 1], in place, for i < n <= 2^30. d_tmp has n / 1000 + 8 words.
static inline void exclusive_scan(unsigned *d_x, unsigned *d_tmp, int n)
{
    int tiles = max(1, ceil_div(n, SCAN_TILE));

    scan_tiles<<<tiles, SCAN_TILE>>>(d_x, d_tmp, n);
    check_cuda(cudaGetLastError());
    if (tiles > 1) {
        exclusive_scan(d_tmp, d_tmp + tiles, tiles);
        add_before<<<tiles, SCAN_TILE>>>(d_x, d_tmp, n);
        check_cuda(cudaGetLastError());
    }
}
