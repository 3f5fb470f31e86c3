// tensor.h: from step 9 of chapter 07-matmul: bf16 words, and the instructions that a whole warp executes together.
#pragma once

#include "device/matmul_shape.h"

typedef unsigned short bf16; // the upper half of a float

// Eight neighbours in a row, column being a multiple of 8, as load_quad loads four.
static inline __device__ uint4 load_eight(const bf16 *x, int ld, int row, int column, int rows, int columns)
{
    const bf16 *from = x + (size_t)row * ld + column;
    int left = row < rows ? columns - column : 0; // elements from here to the end of the row
    if (left >= 8)
        return *(const uint4 *)from;
    unsigned pairs[4] = {};
#pragma unroll
    for (int e = 0; e < 8; e++)
        pairs[e / 2] |= e < left ? (unsigned)from[e] << e % 2 * 16 : 0;
    return make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}

// Four 8 x 8 matrices of 16-bit words from shared memory. Lane 8 i + r passes the address of row r of matrix i: 16
// bytes, aligned to 16. Lane l gets words 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of each.
static inline __device__ uint4 load_matrices(const void *row)
{
    uint4 x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
    return x;
}

// The same, each matrix transposed: lane l gets words l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1.
static inline __device__ uint4 load_transposed_matrices(const void *row)
{
    uint4 x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
    return x;
}

// sum += a b: 16 x 8 sums, a 16 x 16, b 16 x 8 bf16 words.
static inline __device__ void multiply_add(float sum[4], uint4 a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// Stores the sums of the tile whose first element is C(i, j). Each of 2 x 4 warps has 64 x 64 of them. Of each 16 x 8
// sums a lane has two neighbours in each of the rows lane / 4 and lane / 4 + 8.
static inline __device__ void store_sums(float *c, struct shape s, int i, int j, const float sum[4][8][4])
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    i += warp / 4 * 64 + lane / 4, j += warp % 4 * 64 + lane % 4 * 2;
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int q = 0; q < 8; q++) {
            store_pair(c, s.ldc, i + 16 * r, j + 8 * q, s.m, s.n, sum[r][q][0], sum[r][q][1]);
            store_pair(c, s.ldc, i + 16 * r + 8, j + 8 * q, s.m, s.n, sum[r][q][2], sum[r][q][3]);
        }
}
