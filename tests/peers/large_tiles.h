// large_tiles.h: step 05 of chapter 00-basics with tiles of 64 x 64 elements, compared with the step itself in the
// peer's table.
//
// As many threads load four times as many elements before the barrier: 16 loads of each are in flight in place of 4.
#pragma once

#include "device/launch.h"

namespace large_tiles
{
enum { TILE_SIDE = 64, TILE_ROWS = 4 }; // TILE_ROWS: of threads

static __global__ void turn(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE_SIDE][TILE_SIDE + 1];
    int column = blockIdx.x * TILE_SIDE + threadIdx.x, row = blockIdx.y * TILE_SIDE + threadIdx.y;
    for (int k = 0; k < TILE_SIDE; k += TILE_ROWS)
        if (column < width && row + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(row + k) * width + column];
    __syncthreads();
    int out_column = blockIdx.y * TILE_SIDE + threadIdx.x, out_row = blockIdx.x * TILE_SIDE + threadIdx.y;
    for (int k = 0; k < TILE_SIDE; k += TILE_ROWS)
        if (out_column < height && out_row + k < width)
            out[(size_t)(out_row + k) * height + out_column] = tile[threadIdx.x][threadIdx.y + k];
}

static void transpose(float *d_out, const float *d_in, int width, int height)
{
    turn<<<dim3(ceil_div(width, TILE_SIDE), ceil_div(height, TILE_SIDE)), dim3(TILE_SIDE, TILE_ROWS)>>>(d_out, d_in,
                                                                                                        width, height);
    check_cuda(cudaGetLastError());
}
} // namespace large_tiles
