// small_tiles.h: steps 08 and 09 of chapter 07-matmul for small matrices, compared with the steps in the peer's table.
//
// At n = 1024 there are 32 tiles of 128 x 256 for 132 multiprocessors, but 128 tiles of 64 x 128. A small tile has half
// the products for each word loaded, so large matrices gain nothing. FP32 also splits k inside the block. Two groups of
// four warps share a stage, and each multiplies one half of its columns. At the end their sums are added. So each
// scheduler has two warps, and a thread still has 8 x 8 sums.
//
// Whole tiles only: m is a multiple of 64, n of 128, k of 256, so that every stage is filled.
#pragma once

#include "device/matmul_tile_ring.h"
#include "device/tensor.h"

namespace small
{
enum { ROWS = 64, COLUMNS = 128, THREADS = 256, GROUP = THREADS / 2, STAGES = 3, DEPTH = 16 }; // DEPTH: of each group

struct stage {
    float a[2 * DEPTH][ROWS + 4]; // transposed, padded as in step 08
    float b[2 * DEPTH][COLUMNS];
};
struct words {
    float4 a[2], b[2];
};

static __device__ void start_copies(struct stage *to, struct tile<float> c, struct shape s, int first)
{
    int t = threadIdx.x, y = t / 8, l = t % 8, z = t / 32, x = t % 32 * 4, from = 2 * first; // s.k: of each group
    if (first >= s.k)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r += 32)
#pragma unroll
        for (int d = 0; d < 2 * DEPTH; d += 8)
            __pipeline_memcpy_async(&to->a[l + d][y + r], c.first_a + (size_t)r * s.lda + from + d, 4);
#pragma unroll
    for (int d = 0; d < 2 * DEPTH; d += 8)
        __pipeline_memcpy_async(&to->b[z + d][x], c.first_b + (size_t)(from + d) * s.ldb, 16);
}

// A thread's first row and column of the tile; t: its number in the group.
static __device__ int row_of(int t)
{
    return t / 64 * 32 + t % 32 / 8 * 4;
}
static __device__ int column_of(int t)
{
    return t / 32 % 2 * 64 + t % 8 * 4;
}

static __device__ struct words read_words(const struct stage *from, int l)
{
    int t = threadIdx.x % GROUP, column = threadIdx.x / GROUP * DEPTH + l;
    const float *a = &from->a[column][row_of(t)], *b = &from->b[column][column_of(t)];
    return {{*(const float4 *)a, *(const float4 *)(a + 16)}, {*(const float4 *)b, *(const float4 *)(b + 32)}};
}

static __device__ void add_products(float sum[8][8], struct words w)
{
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int q = r % 2 ? 7 - k : k;
            sum[r][q] += (&w.a[r / 4].x)[r % 4] * (&w.b[q / 4].x)[q % 4];
        }
}

// Adds the second group's sums to those of the first, through shared memory. All threads must call it.
static __device__ void join_groups(float *cache, float sum[8][8])
{
    int t = threadIdx.x % GROUP, group = threadIdx.x / GROUP;
    __pipeline_wait_prior(0);
    __syncthreads(); // after the last read of a stage
    for (int q = 0; q < 64 && group == 1; q++)
        cache[q * GROUP + t] = sum[q / 8][q % 8];
    __syncthreads();
    for (int q = 0; q < 64 && group == 0; q++)
        sum[q / 8][q % 8] += cache[q * GROUP + t];
}

static __global__ void __launch_bounds__(THREADS)
    multiply_tiles(float *c, const float *a, const float *b, struct shape s)
{
    extern __shared__ float4 small_stages[];
    struct stage *stages = (struct stage *)small_stages;
    struct tile<float> tile = tile_of_block(a, b, s, ROWS, COLUMNS, 1);
    struct shape half = s;
    float sum[8][8] = {};
    half.k = s.k / 2;
    multiply_stages<STAGES, DEPTH, 1>(stages, tile, half, sum);
    join_groups((float *)small_stages, sum);
    int i = tile.i + row_of(threadIdx.x), j = tile.j + column_of(threadIdx.x);
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int q = 0; q < 8; q += 4)
            if (threadIdx.x < GROUP)
                *(float4 *)&c[(size_t)(i + r / 4 * 16 + r % 4) * s.ldc + j + q * 8] =
                    make_float4(sum[r][q], sum[r][q + 1], sum[r][q + 2], sum[r][q + 3]);
}

static void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    size_t bytes = STAGES * sizeof(struct stage);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    multiply_tiles<<<tiles_of(s, ROWS, COLUMNS), THREADS, bytes>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}
} // namespace small

namespace small_tensor
{
enum { ROWS = 64, COLUMNS = 128, THREADS = 256, STAGES = 4, DEPTH = 64 }; // 2 x 4 warps of 32 x 32 sums

struct stage { // quads, swizzled as in step 09
    uint4 a[ROWS][DEPTH / 8];
    uint4 b[DEPTH][COLUMNS / 8];
};
struct words {
    uint4 a[2], b[2];
};

static __device__ void start_copies(struct stage *to, struct tile<bf16> c, struct shape s, int first)
{
    int t = threadIdx.x, y = t / 8, l = t % 8, z = t / 16, x = t % 16;
    if (first >= s.k)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r += 32)
        __pipeline_memcpy_async(&to->a[y + r][l ^ y % 8], c.first_a + (size_t)r * s.lda + first, 16);
#pragma unroll
    for (int d = 0; d < DEPTH; d += 16)
        __pipeline_memcpy_async(&to->b[z + d][x ^ z % 8], c.first_b + (size_t)(first + d) * s.ldb, 16);
}

static __device__ struct words read_words(const struct stage *from, int l)
{
    int warp = threadIdx.x / 32, row = threadIdx.x % 16, half = threadIdx.x % 32 / 16;
    int y = warp / 4 * 32 + row, x = warp % 4 * 4 + half;
    int q = (l / 8 + half) ^ row % 8;
    const uint4 *b = from->b[l + row];
    return {{load_matrices(&from->a[y][q]), load_matrices(&from->a[y + 16][q])},
            {load_transposed_matrices(&b[x ^ row % 8]), load_transposed_matrices(&b[(x + 2) ^ row % 8])}};
}

static __device__ void add_products(float sum[2][4][4], struct words w)
{
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int q = 0; q < 2; q++) {
            multiply_add(sum[r][2 * q], w.a[r], w.b[q].x, w.b[q].y);
            multiply_add(sum[r][2 * q + 1], w.a[r], w.b[q].z, w.b[q].w);
        }
}

static __global__ void __launch_bounds__(THREADS) multiply_tiles(float *c, const bf16 *a, const bf16 *b, struct shape s)
{
    extern __shared__ float4 small_stages[];
    struct tile<bf16> tile = tile_of_block(a, b, s, ROWS, COLUMNS, 8);
    float sum[2][4][4] = {};
    multiply_stages<STAGES, DEPTH, 16>((struct stage *)small_stages, tile, s, sum);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int i = tile.i + warp / 4 * 32 + lane / 4, j = tile.j + warp % 4 * 32 + lane % 4 * 2;
#pragma unroll
    for (int r = 0; r < 4; r++) // rows 8 r of the warp
#pragma unroll
        for (int q = 0; q < 4; q++)
            *(float2 *)&c[(size_t)(i + 8 * r) * s.ldc + j + 8 * q] =
                make_float2(sum[r / 2][q][r % 2 * 2], sum[r / 2][q][r % 2 * 2 + 1]);
}

static void multiply(float *d_c, const bf16 *d_a, const bf16 *d_b, struct shape s)
{
    size_t bytes = STAGES * sizeof(struct stage);
    check_cuda(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    multiply_tiles<<<tiles_of(s, ROWS, COLUMNS), THREADS, bytes>>>(d_c, d_a, d_b, s);
    check_cuda(cudaGetLastError());
}
} // namespace small_tensor
