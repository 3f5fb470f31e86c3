// Iterative solvers, step 6: no matrix at all.
//
// Step 5 moved 8 bytes for each entry, only to say where a cell's neighbours are and that their
// coefficient is -1: 52 bytes for a row of 5. Here both are known without reading anything: a cell
// becomes the average of its neighbours, ((west + east) + (up + down)) / 4: a five-point stencil.
// The order of the sum is fixed, so that every right program has the same bits. A cell should be
// loaded once, not once for each neighbour: a warp holds ROWS rows of 128 cells in registers.
//
// Passes with the same bits as plain sweeps, and about 8 bytes per cell and sweep:
// 32*(global_load_sectors + global_store_sectors) <= 8*14*n*n.
//
//     ctest --test-dir build -R 06-iterative-solvers.06
#include "solvers_06_08.h"

#define WARP 32
#define WARPS 4 // of a block, one below the other
#define ROWS 8  // of a warp: a quad of each in every lane

// The quad `here`, at (row, column), after a sweep: from the quads above and below it, and from the
// cells to its left and right. Border cells keep their values.
__device__ float4 new_quad(float4 up, float4 here, float4 down, float west, float east, struct grid g, int row,
                           int column)
{
    int last = g.width - 1, keep = row == 0 || row == g.height - 1;
    float4 to;
    to.x = keep || column == 0 || column == last ? here.x : average(west, here.y, up.x, down.x);
    to.y = keep || column + 1 == last ? here.y : average(here.x, here.z, up.y, down.y);
    to.z = keep || column + 2 == last ? here.z : average(here.y, here.w, up.z, down.z);
    to.w = keep || column + 3 == last ? here.w : average(here.z, east, up.w, down.w);
    return to;
}

// Loads a warp's rows row - 1, ..., row + ROWS into here, a quad in each lane. The cells next to
// rows row, ..., row + ROWS - 1 go into beside: in lane 0 those to the left, in the last lane those
// to the right. A cell outside the grid is 0.
__device__ void load_strip(float4 *here, float *beside, const float *x, struct grid g, int row, int column)
{
    int lane = threadIdx.x, side = lane == 0 ? column - 1 : column + 4, is_side = lane == 0 || lane == WARP - 1;
#pragma unroll
    for (int k = 0; k < ROWS + 2; k++)
        here[k] = load_quad(x, g, row - 1 + k, column);
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        beside[k] = is_side && side >= 0 && side < g.width && row + k < g.height ? x[cell(g, row + k, side)] : 0;
}

// new_x = x after a sweep: every cell within the border becomes the average of its neighbours.
__global__ void sweep(float *__restrict__ new_x, const float *__restrict__ x, struct grid g)
{
    int lane = threadIdx.x, column = 4 * (blockIdx.x * WARP + lane);
    int row = (blockIdx.y * WARPS + threadIdx.y) * ROWS;
    float4 here[ROWS + 2];
    float beside[ROWS];
    load_strip(here, beside, x, g, row, column); // all loads are in flight before the first use

    // TODO: Store new_quad of each quad of rows row, ..., row + ROWS - 1 that lies in the grid. The
    // cells to its left and right are in the neighbouring lanes, or in beside. Get them by
    // shuffles, in which all lanes must take part.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, struct grid g, int sweeps)
{
    dim3 blocks(max(1, ceil_div(g.width, 4 * WARP)), max(1, ceil_div(g.height, WARPS * ROWS)));
    for (int k = 0; k < sweeps; k++) {
        sweep<<<blocks, dim3(WARP, WARPS)>>>(d_new, d_x, g);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return plane_main(argc, argv, solve);
}
