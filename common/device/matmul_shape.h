// matmul_shape.h: the sizes of the matrices of chapter 07-matmul, as its functions and kernels get them, and code that
// its steps share.
#pragma once

#include "device/launch.h"

// C (m rows, n columns) = A (m rows, k columns) times B (k rows, n columns).
struct shape {
    int m, n, k;
    int lda, ldb, ldc; // words from one row of A, of B, of C to the next
};

// A grid whose blocks compute tiles of C of that many rows (blockIdx.y) and columns (blockIdx.x); at least one block,
// as a launch requires.
static inline dim3 tiles_of(struct shape s, int rows, int columns)
{
    return dim3(max(1, ceil_div(s.n, columns)), max(1, ceil_div(s.m, rows)));
}

// From step 8, a block's tile of C: its first row and column; the matrices, and the thread's first words of A and B.
template <typename WORD> struct tile {
    int i, j;
    const WORD *a, *b, *first_a, *first_b;
    bool whole; // no row or column of it is outside
};

// Eight threads share a row of A's tile, and each loads `take` words of it at a time; from B's tile each thread
// loads 16 bytes.
template <typename WORD>
static inline __device__ struct tile<WORD> tile_of_block(const WORD *a, const WORD *b, struct shape s, int rows,
                                                         int columns, int take) {
    const int quad = 16 / (int)sizeof(WORD);
    int i = blockIdx.y * rows, j = blockIdx.x * columns, t = threadIdx.x;
    const WORD *first_a = a + (size_t)(i + t / 8) * s.lda + t % 8 * take;
    const WORD *first_b = b + (size_t)(t / (columns / quad)) * s.ldb + j + t % (columns / quad) * quad;
    return {i, j, a, b, first_a, first_b, i + rows <= s.m &&j + columns <= s.n};
}

// From step 3: element (row, column) of a matrix, 0 outside of it.
static inline __device__ float
load_or_zero(const float *x, int ld, int row, int column, int rows, int columns)
{
    return row < rows && column < columns ? x[(size_t)row * ld + column] : 0;
}

// ---- Quads: four neighbours in a row, column being a multiple of 4 ----------------------------------------------
// One load of 16 bytes; at the end of a row, after which is padding, words. 0 where the matrix has no element.
static inline __device__ float4 load_quad(const float *x, int ld, int row, int column, int rows, int columns)
{
    const float *from = x + (size_t)row * ld + column;
    int left = row < rows ? columns - column : 0; // elements from here to the end of the row
    if (left >= 4)
        return *(const float4 *)from;
    return make_float4(left > 0 ? from[0] : 0, left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, 0);
}

// The same for a store; skips elements outside the matrix.
static inline __device__ void store_quad(float *x, int ld, int row, int column, int rows, int columns, float4 quad)
{
    float *to = x + (size_t)row * ld + column;
    int left = row < rows ? columns - column : 0;
    if (left >= 4)
        *(float4 *)to = quad;
    else if (left > 0) {
        to[0] = quad.x;
        if (left > 1)
            to[1] = quad.y;
        if (left > 2)
            to[2] = quad.z;
    }
}

// Two neighbours, column being even; the second may be outside.
static inline __device__ void store_pair(float *x, int ld, int row, int column, int rows, int columns, float u, float v)
{
    float *to = x + (size_t)row * ld + column;
    if (row >= rows || column >= columns)
        return;
    if (column + 1 < columns)
        *(float2 *)to = make_float2(u, v);
    else
        *to = u;
}
