// matmul_register_tile.h: for step 8 of chapter 07-matmul: the register tiles of step 7, enlarged: 16 x 8 sums per
// thread, 64 x 64 per warp, 128 x 256 per block of 256 threads.
#pragma once

#include <cuda_pipeline_primitives.h> // for the copies of the step

#include "device/matmul_shape.h"

#define THREADS 256 // of a block: 2 x 4 warps

// A thread's words of one column of A's tile and of one row of B's.
struct words {
    float4 a[4], b[2];
};

// Thread t's first row and column. Its rows are four quads 16 rows apart, its columns two quads 32 columns apart. So a
// warp's lanes, 4 x 8 of them, read neighbouring quads.
static inline __device__ int row_of(int t)
{
    return t / 128 * 64 + t % 32 / 8 * 4;
}
static inline __device__ int column_of(int t)
{
    return t / 32 % 4 * 64 + t % 8 * 4;
}

// From a column of A's tile, stored as a row, and a row of B's.
static inline __device__ struct words read_words(const float *a_column, const float *b_row)
{
    struct words w;
#pragma unroll
    for (int q = 0; q < 4; q++)
        w.a[q] = *(const float4 *)&a_column[row_of(threadIdx.x) + 16 * q];
#pragma unroll
    for (int q = 0; q < 2; q++)
        w.b[q] = *(const float4 *)&b_row[column_of(threadIdx.x) + 32 * q];
    return w;
}

// Row by row, left to right and back: each product shares a register with the previous one, which is read only once.
static inline __device__ void add_products(float sum[16][8], struct words w)
{
#pragma unroll
    for (int r = 0; r < 16; r++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            int q = r % 2 ? 7 - k : k;
            sum[r][q] += (&w.a[r / 4].x)[r % 4] * (&w.b[q / 4].x)[q % 4];
        }
}

// Stores the sums of the tile whose first element is C(i, j).
static inline __device__ void store_sums(float *c, struct shape s, int i, int j, float sum[16][8])
{
    i += row_of(threadIdx.x), j += column_of(threadIdx.x);
#pragma unroll
    for (int r = 0; r < 16; r++)
#pragma unroll
        for (int q = 0; q < 8; q += 4) {
            float4 quad = make_float4(sum[r][q], sum[r][q + 1], sum[r][q + 2], sum[r][q + 3]);
            store_quad(c, s.ldc, i + r / 4 * 16 + r % 4, j + q * 8, s.m, s.n, quad);
        }
}
