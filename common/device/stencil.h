// stencil.h: the five-point stencil, 4 cells at a time, from step 06 of chapter 06-iterative-solvers, which defines it
// in the exercise. Steps 08 to 10 use it.
#pragma once

#include "device/grid.h"

// The quad `here`, at (row, column), after a sweep: from the quads above and below it, and from the cells to its left
// and right. Border cells keep their values.
static inline __device__ float4 new_quad(float4 up, float4 here, float4 down, float west, float east, struct grid g,
                                         int row, int column)
{
    int last = g.width - 1, keep = row == 0 || row == g.height - 1;
    float4 to;
    to.x = keep || column == 0 || column == last ? here.x : average(west, here.y, up.x, down.x);
    to.y = keep || column + 1 == last ? here.y : average(here.x, here.z, up.y, down.y);
    to.z = keep || column + 2 == last ? here.z : average(here.y, here.w, up.z, down.z);
    to.w = keep || column + 3 == last ? here.w : average(here.z, east, up.w, down.w);
    return to;
}

// Loads rows row - 1, ..., end of a strip into here, a quad per lane: at most rows + 2 of them. The cells next to rows
// row, ..., end - 1 go into beside: in lane 0 those to the left, in the last lane those to the right. A cell outside of
// the grid is 0. threadIdx.x is the lane.
static inline __device__ void load_strip(float4 *here, float *beside, int rows, const float *x, struct grid g, int row,
                                         int end, int column)
{
    int lane = threadIdx.x, side = lane == 0 ? column - 1 : column + 4, is_side = lane == 0 || lane == 31;
#pragma unroll
    for (int k = 0; k < rows + 2; k++)
        here[k] = row - 1 + k <= end ? load_quad(x, g, row - 1 + k, column) : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < rows; k++)
        beside[k] = is_side && side >= 0 && side < g.width && row + k < end ? x[cell(g, row + k, side)] : 0;
}

// new_x = x after a sweep, for rows row, ..., end - 1 of a strip, at most rows of them; rows is a constant, at most
// MAX_ROWS. All lanes of a warp must call it, each with the quad at column.
#define MAX_ROWS 8
static inline __device__ void sweep_strip(float *__restrict__ new_x, const float *__restrict__ x, int rows,
                                          struct grid g, int row, int end, int column)
{
    int lane = threadIdx.x;
    float4 here[MAX_ROWS + 2];
    float beside[MAX_ROWS];
    load_strip(here, beside, rows, x, g, row, end, column);
#pragma unroll
    for (int k = 0; k < rows; k++) {
        float west = __shfl_up_sync(0xffffffff, here[k + 1].w, 1);
        float east = __shfl_down_sync(0xffffffff, here[k + 1].x, 1);
        west = lane == 0 ? beside[k] : west, east = lane == 31 ? beside[k] : east;
        if (row + k < end && column < g.width)
            *(float4 *)(new_x + cell(g, row + k, column)) =
                new_quad(here[k], here[k + 1], here[k + 2], west, east, g, row + k, column);
    }
}
