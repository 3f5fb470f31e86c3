// Iterative solvers, step 8: several sweeps per pass.
//
// Step 6 reached the 8 bytes per cell that a sweep needs: it is as fast as a copy. To be faster, a
// pass over memory has to do more than one sweep. A warp goes down the grid row by row; what DEPTH
// sweeps need of the rows above stays in its registers. After each sweep one more cell on each side
// is wrong, since its neighbour is missing: so the warps overlap by a halo.
//
// Passes with the same bits as plain sweeps, and about 8 / DEPTH bytes per cell and sweep:
// launches <= 4, 32*(global_load_sectors + global_store_sectors) <= 8*7*n*n.
//
//     ctest --test-dir build -R 06-iterative-solvers.08
#include "solvers_06_08.h"
#include "device/stencil.h" // new_quad: from step 6

#define WARP 32
#define WARPS 4  // of a block, one below the other
#define ROWS 64  // of x that a warp computes
#define DEPTH 4  // sweeps of a pass
#define FLIGHT 4 // rows that a warp loads at a time
#define ALL 0xffffffff

// below is row `row` of x. Returns row - sweeps after that many sweeps. above[t] and here[t] are
// rows row - t - 2 and row - t - 1 after t sweeps, and move one row on.
__device__ __forceinline__ float4 advance(float4 *above, float4 *here, float4 below, struct grid g, int row, int column,
                                          int sweeps)
{
    // TODO: Let t go 0, ..., sweeps - 1; below is then row - t after t sweeps. Compute row - t - 1
    // after t + 1 sweeps with new_quad; the cells left and right of here[t] are in adjacent lanes.
    // Then move above[t] and here[t] on by a row. The new row is below for the next t.
#pragma unroll
    for (int t = 0; t < sweeps; t++) {
        float west = __shfl_up_sync(ALL, here[t].w, 1), east = __shfl_down_sync(ALL, here[t].x, 1);
        float4 made = new_quad(above[t], here[t], below, west, east, g, row - t - 1, column);
        above[t] = here[t];
        here[t] = below;
        below = made;
    }
    // END TODO
    return below;
}

// new_x = x after that many sweeps, at most DEPTH. The lanes of the halo store nothing.
__device__ __forceinline__ void pass(float *__restrict__ new_x, const float *__restrict__ x, struct grid g, int sweeps)
{
    int lane = threadIdx.x, halo = (sweeps + 3) / 4; // in lanes, each of 4 cells
    int column = 4 * (int)(blockIdx.x * (WARP - 2 * halo) + lane - halo);
    int first = (blockIdx.y * WARPS + threadIdx.y) * ROWS, end = min(first + ROWS, g.height);
    int stores = lane >= halo && lane < WARP - halo && column < g.width;
    float4 above[DEPTH] = {}, here[DEPTH] = {}; // after t sweeps: the last two rows

    for (int row = first - sweeps; row < end + sweeps; row += FLIGHT) {
        float4 ahead[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++)
            ahead[k] = load_quad(x, g, row + k, column);
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) {
            float4 made = advance(above, here, ahead[k], g, row + k, column, sweeps);
            int made_row = row + k - sweeps;
            if (stores && made_row >= first && made_row < end)
                *(float4 *)(new_x + cell(g, made_row, column)) = made;
        }
    }
}

__global__ void many_sweeps(float *new_x, const float *x, struct grid g)
{
    pass(new_x, x, g, DEPTH);
}

__global__ void one_sweep(float *new_x, const float *x, struct grid g)
{
    pass(new_x, x, g, 1);
}

// Runs the sweeps, DEPTH at a time, from d_x to d_new and back. Returns the array with x.
static float *solve(float *d_x, float *d_new, struct grid g, int sweeps)
{
    while (sweeps > 0) {
        int depth = sweeps >= DEPTH ? DEPTH : 1, columns = 4 * (WARP - 2 * ((depth + 3) / 4));
        dim3 blocks(max(1, ceil_div(g.width, columns)), max(1, ceil_div(g.height, WARPS * ROWS)));
        (depth == DEPTH ? many_sweeps : one_sweep)<<<blocks, dim3(WARP, WARPS)>>>(d_new, d_x, g);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
        sweeps -= depth;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return plane_main(argc, argv, solve);
}
