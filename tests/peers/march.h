// march.h: step 07 of chapter 06-iterative-solvers without shared memory, compared with the step itself in
// the peer's table.
//
// A lane has a quad of cells, and its neighbours to the left and right come by shuffles. It loads the quads above and
// below from memory: other warps of the block load them at about the same time, so the L1 cache has them. No barrier
// stops a warp; it waits for its own loads only.
#pragma once

#include "device/grid.h"
#include "device/launch.h"

namespace march
{
enum { ROWS = 8, PLANES = 32 }; // a block: rows of 128 cells, a warp each; planes that it marches through

struct hood { // a quad and its neighbours
    float4 here, up, down, below, above;
    float west, east;
};

// Where plane z begins. z lies within the grid.
static __device__ size_t plane_at(struct grid g, int z)
{
    return (size_t)z * g.height * g.pitch;
}

static __device__ float4 load_at(const float *x, struct grid g, int z, int row, int column)
{
    return z >= 0 && z < g.depth ? load_quad(x + plane_at(g, z), g, row, column) : make_float4(0, 0, 0, 0);
}

// here after a sweep. keep: all of it is border.
static __device__ float4 new_quad(struct hood h, int keep, int column, int last)
{
    float4 to = h.here;
    if (!keep && column > 0 && column < last)
        to.x = average_6(h.west, h.here.y, h.up.x, h.down.x, h.below.x, h.above.x);
    if (!keep && column + 1 < last)
        to.y = average_6(h.here.x, h.here.z, h.up.y, h.down.y, h.below.y, h.above.y);
    if (!keep && column + 2 < last)
        to.z = average_6(h.here.y, h.here.w, h.up.z, h.down.z, h.below.z, h.above.z);
    if (!keep && column + 3 < last)
        to.w = average_6(h.here.z, h.east, h.up.w, h.down.w, h.below.w, h.above.w);
    return to;
}

static __global__ void __launch_bounds__(32 * ROWS, 4)
    sweep(float *__restrict__ new_x, const float *__restrict__ x, struct grid g)
{
    int lane = threadIdx.x, column = 4 * (blockIdx.x * 32 + lane), row = blockIdx.y * ROWS + threadIdx.y;
    int z = blockIdx.z * PLANES, end = min(z + PLANES, g.depth), edge_row = row == 0 || row == g.height - 1;
    int side = lane == 0 ? column - 1 : column + 4; // for lanes 0 and 31, which lack a neighbour
    int has_side = lane % 31 == 0 && side >= 0 && side < g.width && row < g.height;
    struct hood h;
    h.below = load_at(x, g, z - 1, row, column), h.here = load_at(x, g, z, row, column);
    for (; z < end; z++) {
        float beside = has_side ? x[plane_at(g, z) + cell(g, row, side)] : 0;
        h.above = load_at(x, g, z + 1, row, column);
        h.up = load_at(x, g, z, row - 1, column);
        h.down = load_at(x, g, z, row + 1, column);
        h.west = __shfl_up_sync(0xffffffff, h.here.w, 1);
        h.east = __shfl_down_sync(0xffffffff, h.here.x, 1);
        h.west = lane == 0 ? beside : h.west, h.east = lane == 31 ? beside : h.east;
        int keep = edge_row || z == 0 || z == g.depth - 1;
        if (row < g.height && column < g.width)
            *(float4 *)&new_x[plane_at(g, z) + cell(g, row, column)] = new_quad(h, keep, column, g.width - 1);
        h.below = h.here, h.here = h.above;
    }
}

// One sweep.
static void solve(const float *d_x, float *d_new, struct grid g)
{
    dim3 blocks(ceil_div(g.width, 128), ceil_div(g.height, ROWS), ceil_div(g.depth, PLANES));
    sweep<<<blocks, dim3(32, ROWS)>>>(d_new, d_x, g);
    check_cuda(cudaGetLastError());
}
} // namespace march
