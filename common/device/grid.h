// grid.h: grids of cells, and loads of 4 cells at a time, for steps 06 to 10 of chapter 06-iterative-solvers.
//
// A grid has depth planes of height rows of width cells; depth is 1 in two dimensions. Cell (row, column) of plane p is
//
//     x[((size_t)p * height + row) * pitch + column]        pitch >= width, a multiple of 4
//
// and x begins at a multiple of 128 bytes, so every row begins at a multiple of 16. Cells pitch - width after a row
// are padding: they may be read and written, and hold NaN at first. A quad is 4 cells from a column that is a
// multiple of 4.
//
// The outermost cells, all around, are the border: given values, which never change. A sweep gives every other cell the
// average of its neighbours, 4 in the plane and 6 in space. That is Jacobi's iteration for Laplace's equation: row i of
// A has 4 (or 6) on the diagonal and -1 for every interior neighbour, and f is the sum of the neighbours on the border.
//
// average() and average_6() fix the order of the additions, so that every right program has the same bits.
#pragma once

#include <cuda_runtime.h>

struct grid {
    int width, height, depth, pitch;
};

// The order of the additions matters; the product by a power of two is exact.
static inline __host__ __device__ float average(float west, float east, float up, float down)
{
    return ((west + east) + (up + down)) * 0.25f;
}

static inline __host__ __device__ float average_6(float west, float east, float up, float down, float below,
                                                  float above)
{
    return (((west + east) + (up + down)) + (below + above)) * (1 / 6.f);
}

static inline __host__ __device__ size_t cell(struct grid g, int row, int column)
{
    return (size_t)row * g.pitch + column;
}

static inline __host__ __device__ int on_border(struct grid g, int row, int column)
{
    return row == 0 || row == g.height - 1 || column == 0 || column == g.width - 1;
}

// Quad (row, column) of x in the plane, or zeros outside of the grid.
static inline __device__ float4 load_quad(const float *x, struct grid g, int row, int column)
{
    int inside = row >= 0 && row < g.height && column >= 0 && column < g.width;
    return inside ? *(const float4 *)(x + cell(g, row, column)) : make_float4(0, 0, 0, 0);
}
