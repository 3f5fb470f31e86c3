// Iterative solvers, step 10: several GPUs.
//
// One GPU's memory has an end, and so has its speed. Here the grid is cut into slabs, one on each GPU, and after every
// sweep neighbours exchange a row. That takes time, though nearly all cells need none of these rows: so a slab's first
// and last row come first, their exchange goes on while the rows between are made, and nobody waits.
//
// Passes with the same bits as on one GPU, no copy through the host, and edges and inner rows launched apart.
//
//     ctest --test-dir build -R 06-iterative-solvers.10
#include "solvers_slabs.h"

#define WARP 32
#define WARPS 4 // of a block, one below the other
#define ROWS 8  // of a warp at most: a quad of each in every lane

// Step 6 for some rows of a slab: warp w of a column makes `rows` rows of new_x from row first + w * stride on, at most
// ROWS, and none from end on. The rows above and below must be there.
__global__ void sweep(float *__restrict__ new_x, const float *__restrict__ x, struct grid g, int first, int end,
                      int rows, int stride)
{
    int lane = threadIdx.x, column = 4 * (blockIdx.x * WARP + lane);
    int row = first + (blockIdx.y * WARPS + threadIdx.y) * stride;
    int side = lane == 0 ? column - 1 : column + 4, is_side = lane == 0 || lane == WARP - 1;
    float4 here[ROWS + 2];
    float beside[ROWS];
    end = min(end, row + rows);

#pragma unroll
    for (int k = 0; k < ROWS + 2; k++)
        here[k] = row - 1 + k <= end ? load_quad(x, g, row - 1 + k, column) : make_float4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        beside[k] = is_side && side >= 0 && side < g.width && row + k < end ? x[cell(g, row + k, side)] : 0;
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        float west = __shfl_up_sync(0xffffffff, here[k + 1].w, 1);
        float east = __shfl_down_sync(0xffffffff, here[k + 1].x, 1);
        west = lane == 0 ? beside[k] : west;
        east = lane == WARP - 1 ? beside[k] : east;
        if (row + k < end && column < g.width)
            *(float4 *)(new_x + cell(g, row + k, column)) =
                new_quad(here[k], here[k + 1], here[k + 2], west, east, g, row + k, column);
    }
}

// A sweep of the slab's first and last own row, from x to next. There may be one row only.
void sweep_edges(const struct slab *s, cudaStream_t stream)
{
    int last = s->g.height - 2;
    sweep<<<ceil_div(s->g.width, 4 * WARP), dim3(WARP, WARPS), 0, stream>>>(s->next, s->x, s->g, 1, last + 1, 1,
                                                                            max(1, last - 1));
    check_cuda(cudaGetLastError());
}

// A sweep of the own rows between them, from x to next, if there are any.
void sweep_inner(const struct slab *s, cudaStream_t stream)
{
    int rows = s->g.height - 4;
    if (rows <= 0)
        return;
    dim3 blocks(ceil_div(s->g.width, 4 * WARP), ceil_div(rows, WARPS * ROWS));
    sweep<<<blocks, dim3(WARP, WARPS), 0, stream>>>(s->next, s->x, s->g, 2, rows + 2, ROWS, ROWS);
    check_cuda(cudaGetLastError());
}

// So many sweeps of all slabs; see solvers_slabs.h.
static void solve(struct team *t, int sweeps)
{
    for (int k = 0; k < sweeps; k++) {
        for (int i = 0; i < t->count; i++) {
            struct slab *s = &t->slab[i];
            check_cuda(cudaSetDevice(s->device));
            // TODO: Sweep the edges on s->edge and the inner rows on s->inner. Either reads and overwrites rows that
            // the other one made and read in the sweep before: let each stream first wait for what the other did then,
            // by the events inner_done and edge_done, and record its own behind its work.
#define TODO_OPEN // delete this line when the TODO is done
            // END TODO
        }
        // TODO: Exchange the rows between the slabs. Then swap x and next of every slab.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
    }
}

int main(int argc, char **argv)
{
    return slabs_main(argc, argv, solve);
}
