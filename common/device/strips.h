// strips.h: what both ways of step 09 of chapter 06-iterative-solvers share: the sweep of one strip, as in
// step 06, with the sum of step 04; the test that ends the loop, as in step 04; and a graph that is
// launched until the loop ends.
#ifndef DEVICE_STRIPS_H
#define DEVICE_STRIPS_H

#include "device/launch.h"
#include "device/stencil.h"
#include "device/stop.h"
#include <math.h>

#define WARP 32
#define ROWS 4 // of a strip: a warp's work, 128 columns wide

static inline __host__ __device__ int strips_of(struct grid g)
{
    return (g.width + 4 * WARP - 1) / (4 * WARP) * ((g.height + ROWS - 1) / ROWS);
}

// The sum of the squares of what a sweep changes in cells of a quad that lie in the grid.
static inline __device__ float change(float4 from, float4 to, struct grid g, int column)
{
    float x = to.x - from.x, y = to.y - from.y, z = to.z - from.z, w = to.w - from.w;
    return (column < g.width ? x * x : 0) + (column + 1 < g.width ? y * y : 0) + (column + 2 < g.width ? z * z : 0) +
           (column + 3 < g.width ? w * w : 0);
}

// From step 06: new_x = x after a sweep, for one strip, by all lanes of a warp. Rows are loaded as they are needed.
// From step 04: the squares of the changes are added to *sum, if that is not NULL.
static inline __device__ void sweep_strip(float *new_x, const float *x, float *sum, struct grid g, int strip)
{
    int lane = threadIdx.x % WARP, across = (g.width + 4 * WARP - 1) / (4 * WARP);
    int column = 4 * (strip % across * WARP + lane), row = strip / across * ROWS, end = min(row + ROWS, g.height);
    int side = lane == 0 ? column - 1 : column + 4, is_side = lane == 0 || lane == WARP - 1;
    float4 up = load_quad(x, g, row - 1, column), here = load_quad(x, g, row, column);
    float squares = 0;
    for (; row < end; row++) {
        float west = __shfl_up_sync(0xffffffff, here.w, 1), east = __shfl_down_sync(0xffffffff, here.x, 1);
        float beside = is_side && side >= 0 && side < g.width ? x[cell(g, row, side)] : 0;
        float4 down = load_quad(x, g, row + 1, column);
        float4 to =
            new_quad(up, here, down, lane == 0 ? beside : west, lane == WARP - 1 ? beside : east, g, row, column);
        squares += change(here, to, g, column);
        if (column < g.width)
            *(float4 *)(new_x + cell(g, row, column)) = to;
        up = here;
        here = down;
    }
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    if (sum && lane == 0)
        atomicAdd(sum, squares);
}

// From step 04: ends the loop after a test? Sets stop->diverged, and stop->first at the first test. Written like this,
// a sum that is NaN diverges.
static inline __host__ __device__ int is_over(struct stop *stop, float sum)
{
    stop->first = stop->sweeps == stop->every ? sum : stop->first;
    stop->diverged = !(sum <= 16 * stop->first && sum < INFINITY);
    return sum <= stop->enough || stop->diverged || stop->sweeps >= stop->most;
}

// Launches the graph, stop->every sweeps that leave their sum in *d_sum, until the loop ends. Then *d_stop is *stop,
// and graph and stream are destroyed.
static inline void replay(cudaGraph_t graph, cudaStream_t stream, const float *d_sum, struct stop *stop,
                          struct stop *d_stop)
{
    float sum = 0;
    cudaGraphExec_t exec;
    check_cuda(cudaGraphInstantiate(&exec, graph, 0));
    stop->sweeps = 0;
    do {
        check_cuda(cudaGraphLaunch(exec, stream));
        check_cuda(cudaMemcpyAsync(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost, stream));
        check_cuda(cudaStreamSynchronize(stream));
        stop->sweeps += stop->every;
    } while (!is_over(stop, sum));
    check_cuda(cudaMemcpy(d_stop, stop, sizeof *stop, cudaMemcpyHostToDevice));
    check_cuda(cudaGraphExecDestroy(exec));
    check_cuda(cudaGraphDestroy(graph));
    check_cuda(cudaStreamDestroy(stream));
}
#endif
