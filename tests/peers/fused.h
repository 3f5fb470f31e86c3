// fused.h: step 07 of chapter 08-convolution in one pass, compared with the step itself in the peer's table.
//
// A block walks along a strip of the image. Each row passes through shared memory once, copied ahead. A thread sums its
// four columns along the row and adds the result to the 2 R + 1 rows of sums that need it. These stay in registers, as
// in step 08, so no intermediate image goes through memory. A strip also reads 2 R rows of its neighbours: tall strips
// read fewer rows twice, but a small image then has too few strips for the device.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "device/plane.h"

namespace fused
{
enum { R = 7, REACH = 8, THREADS = 128, STRIP = 64, RING = 4, QUADS = THREADS + REACH / 2 };

__constant__ float weights[2][2 * R + 1]; // of the row, then of the column

// Starts the copies of a row's quads, from column left on. Zeros outside the image.
static __device__ void start_copies(float4 *to, const float *in, struct plane p, int row, int left)
{
    for (int q = threadIdx.x; q < QUADS; q += THREADS) {
        int column = left + 4 * q;
        if (row >= 0 && row < p.height && column >= 0 && column + 4 <= p.width)
            __pipeline_memcpy_async(&to[q], in + (size_t)row * p.in_pitch + column, 16);
        else
            to[q] = quad_or_zero(in, p, row, column);
    }
    __pipeline_commit();
}

// The sums along the row for the thread's four columns.
static __device__ void sum_row(float sum[4], const float4 *row)
{
    float word[2 * REACH + 4];
#pragma unroll
    for (int q = 0; q < 2 * REACH + 4; q += 4)
        *(float4 *)&word[q] = row[threadIdx.x + q / 4];
#pragma unroll
    for (int k = 0; k <= 2 * R; k++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            sum[c] += weights[0][k] * word[REACH - R + c + k];
}

// Rows first, first + STEP, ... of the output. Row i of the walk is the last that the topmost sums need.
template <int STEP>
static __device__ void walk(float4 (*ring)[QUADS], float *out, const float *in, struct plane p, int first, int rows)
{
    int left = 4 * blockIdx.x * THREADS, column = left + 4 * threadIdx.x;
    float sum[2 * R + 1][4] = {};
    for (int i = 0; i < RING - 2; i++)
        start_copies(ring[i], in, p, first + STEP * (i - R), left - REACH);
    for (int i = 0; i < rows + 2 * R; i++) {
        int ahead = i + RING - 2;
        start_copies(ring[ahead % RING], in, p, first + STEP * (ahead - R), left - REACH);
        __pipeline_wait_prior(RING - 2);
        __syncthreads(); // after row i arrives; no thread still reads row i - 2, which the next copies overwrite
        float along[4] = {};
        sum_row(along, ring[i % RING]);
#pragma unroll
        for (int j = 0; j <= 2 * R; j++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                sum[j][c] = (j < 2 * R ? sum[j + 1][c] : 0) + weights[1][STEP > 0 ? 2 * R - j : j] * along[c];
        if (i >= 2 * R)
            store_quad(out, p.out_pitch, first + STEP * (i - 2 * R), column, p.height, p.width,
                       make_float4(sum[0][0], sum[0][1], sum[0][2], sum[0][3]));
    }
}

// Neighbouring strips are walked towards one another, as in step 08.
static __global__ void __launch_bounds__(THREADS) filter_strip(float *out, const float *in, struct plane p)
{
    __shared__ float4 ring[RING][QUADS];
    int top = blockIdx.y * STRIP, rows = min((int)STRIP, p.height - top);
    if (blockIdx.y % 2 == 0)
        walk<1>(ring, out, in, p, top, rows);
    else
        walk<-1>(ring, out, in, p, top + rows - 1, rows);
}

// For filters of radius R. d_scratch is not needed.
static void filter(float *d_out, float *d_scratch, const float *d_in, const float *d_filter, struct plane p)
{
    (void)d_scratch;
    check_cuda(cudaMemcpyToSymbolAsync(weights, d_filter, sizeof weights, 0, cudaMemcpyDeviceToDevice));
    filter_strip<<<tiles_over(p, 4 * THREADS, STRIP), THREADS>>>(d_out, d_in, p);
    check_cuda(cudaGetLastError());
}
} // namespace fused
