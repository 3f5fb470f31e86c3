// plane.h: the sizes of the images of chapter 08-convolution, as its functions and kernels get them, and code that
// its steps share.
#pragma once

#include "device/launch.h"
#include "device/matmul_shape.h"

#define MOST_RADIUS 15
#define MOST_TAPS (2 * MOST_RADIUS + 1) // words in a row of a filter

// Two images of width x height words; the filter has 2 radius + 1 words in a row.
struct plane {
    int width, height, radius;
    int in_pitch, out_pitch; // words from one row to the next
};

// A grid whose blocks compute tiles of that many columns (blockIdx.x) and rows (blockIdx.y); at least one block, as a
// launch requires.
static inline dim3 tiles_over(struct plane p, int columns, int rows)
{
    return dim3(max(1, ceil_div(p.width, columns)), max(1, ceil_div(p.height, rows)));
}

// From step 8: how many rows a strip of so many columns has: `most`, but down to `least` if the image is small, so that
// each multiprocessor gets this many blocks.
static inline int strip_rows(struct plane p, int columns, int blocks, int least, int most)
{
    int multiprocessors, across = tiles_over(p, columns, 1).x;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    int rows = ceil_div(p.height * across, blocks * multiprocessors);
    return max(least, min(most, ceil_div(rows, 8) * 8));
}

// From step 6: the word at (row, column) of the input, 0 outside of it.
static inline __device__ float word_or_zero(const float *in, struct plane p, int row, int column)
{
    bool inside = row >= 0 && row < p.height && column >= 0 && column < p.width;
    return inside ? in[(size_t)row * p.in_pitch + column] : 0;
}

// The same for four words, from a column that is a multiple of 4.
static inline __device__ float4 quad_or_zero(const float *in, struct plane p, int row, int column)
{
    if (row < 0 || column < 0)
        return make_float4(0, 0, 0, 0);
    return load_quad(in, p.in_pitch, row, column, p.height, p.width);
}

// From step 8: prefetches words into the L2 cache, to be loaded later. The thread does not wait.
static inline __device__ void prefetch(const float *in, struct plane p, int row, int column)
{
    if (row >= 0 && row < p.height)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(in + (size_t)row * p.in_pitch + column));
}
