// Iterative solvers, step 7: three dimensions.
//
// A cell in 3-D has six neighbours. Threads of the block share those to the left, to the right,
// above and below; the other two are a whole plane away. So a block marches along z: a thread keeps
// its cells of three planes in registers, and only the plane in the middle is in shared memory,
// with a halo of one cell around it.
//
// Passes with about one load per cell and sweep, where plain code has 7:
// 32*global_load_requests <= 8*3*n*n*n.
//
//     ctest --test-dir build -R 06-iterative-solvers.07
#include "solvers_06_08.h"

#define WIDTH 32  // cells of a block in a plane, a thread each
#define HEIGHT 16 // a multiple of 2
#define PLANES_PER_BLOCK 32

// Cell (row, column) of plane z; 0 if it lies outside the grid.
__device__ float load(const float *x, struct grid g, int z, int row, int column)
{
    int inside = z < g.depth && row >= 0 && row < g.height && column >= 0 && column < g.width;
    return inside && z >= 0 ? x[(size_t)z * g.height * g.pitch + cell(g, row, column)] : 0;
}

// new_x = x after a sweep: every cell within the border becomes the average of its 6 neighbours.
__global__ void sweep(float *__restrict__ new_x, const float *__restrict__ x, struct grid g)
{
    __shared__ float planes[2][HEIGHT + 2][WIDTH + 2]; // in turns, so that a barrier per plane is enough
    int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * WIDTH + tx, row = blockIdx.y * HEIGHT + ty;
    int z = blockIdx.z * PLANES_PER_BLOCK, end = min(z + PLANES_PER_BLOCK, g.depth);
    float below = load(x, g, z - 1, row, column), here = load(x, g, z, row, column);

    for (; z < end; z++) {
        float above = load(x, g, z + 1, row, column);
        float(*plane)[WIDTH + 2] = planes[z % 2];
        // TODO: Put here into plane[ty + 1][tx + 1]. Load the halo, each cell by one thread: rows 0
        // and HEIGHT + 1, columns 0 and WIDTH + 1, no corners. Then wait at a barrier.
        plane[ty + 1][tx + 1] = here;
        if (ty < 2) // two warps load the rows
            plane[ty * (HEIGHT + 1)][tx + 1] = load(x, g, z, row + (ty == 0 ? -1 : HEIGHT - 1), column);
        if (ty == 2) { // one warp loads the columns, half of it each
            int side = tx / HEIGHT, down = tx % HEIGHT;
            plane[down + 1][side * (WIDTH + 1)] =
                load(x, g, z, row - ty + down, column - tx + (side == 0 ? -1 : WIDTH));
        }
        __syncthreads();
        // END TODO
        int border = on_border(g, row, column) || z == 0 || z == g.depth - 1;
        if (row < g.height && column < g.width)
            new_x[(size_t)z * g.height * g.pitch + cell(g, row, column)] =
                border ? here
                       : average_6(plane[ty + 1][tx], plane[ty + 1][tx + 2], plane[ty][tx + 1], plane[ty + 2][tx + 1],
                                   below, above);
        below = here;
        here = above;
    }
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, struct grid g, int sweeps)
{
    dim3 blocks(max(1, ceil_div(g.width, WIDTH)), max(1, ceil_div(g.height, HEIGHT)),
                max(1, ceil_div(g.depth, PLANES_PER_BLOCK)));
    for (int k = 0; k < sweeps; k++) {
        sweep<<<blocks, dim3(WIDTH, HEIGHT)>>>(d_new, d_x, g);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return space_main(argc, argv, solve);
}
