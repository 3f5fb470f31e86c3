// Iterative solvers, step 10: several GPUs.
//
// Here the grid is cut into slabs, one on each GPU. After every sweep a slab sends its first and
// its last row to its neighbours: the halo exchange. These edges are swept first, so that the
// exchange overlaps with the sweep of the inner rows, which need no halo.
//
// Passes with the bits of one GPU: host_reads == 0, host_writes == 0, overlaps >= launches/4.
//
//     ctest --test-dir build -R 06-iterative-solvers.10
#include "solvers_10.h"
#include "device/stencil.h" // sweep_strip: from step 6

#define WARP 32
#define WARPS 4 // of a block, one below the other
#define ROWS 8  // of a warp at most: a quad of each in every lane

// Step 6 for some rows of a slab: warp w of a column computes rows rows of new_x from first + w *
// stride on, at most ROWS, and none from end on. The rows above and below must be there.
__global__ void sweep(float *__restrict__ new_x, const float *__restrict__ x, struct grid g, int first, int end,
                      int rows, int stride)
{
    int row = first + (blockIdx.y * WARPS + threadIdx.y) * stride;
    sweep_strip(new_x, x, ROWS, g, row, min(end, row + rows), 4 * (blockIdx.x * WARP + threadIdx.x));
}

// Sweeps the slab's first and last own row, from x to next. There may be one row only.
void sweep_edges(const struct slab *s, cudaStream_t stream)
{
    int last = s->g.height - 2, columns = ceil_div(s->g.width, 4 * WARP), apart = max(1, last - 1);
    sweep<<<columns, dim3(WARP, WARPS), 0, stream>>>(s->next, s->x, s->g, 1, last + 1, 1, apart);
    check_cuda(cudaGetLastError());
}

// Sweeps the own rows between them, from x to next, if there are any.
void sweep_inner(const struct slab *s, cudaStream_t stream)
{
    int rows = s->g.height - 4;
    dim3 blocks(ceil_div(s->g.width, 4 * WARP), max(1, ceil_div(rows, WARPS * ROWS)));
    if (rows > 0)
        sweep<<<blocks, dim3(WARP, WARPS), 0, stream>>>(s->next, s->x, s->g, 2, rows + 2, ROWS, ROWS);
    check_cuda(cudaGetLastError());
}

// Copies row from_row of next to row to_row of another slab's next, on the sender's edge stream.
void send_row(struct slab *to, int to_row, const struct slab *from, int from_row)
{
    float *there = to->next + cell(to->g, to_row, 0), *here = from->next + cell(from->g, from_row, 0);
    check_cuda(cudaMemcpyPeerAsync(there, to->device, here, from->device, from->g.width * sizeof *here, from->edge));
}

// The halo exchange: rows 0 and g.height - 1 of every slab's next = the neighbours' edge rows.
static void exchange(struct team *t)
{
    if (exchange_by_nccl(t))
        return;
    // TODO: Let every slab send its first own row to the last row of the slab above. Let it send
    // its last own row to row 0 of the slab below, then record its event `sent`. Let each edge
    // stream wait until the slab's neighbours have sent. Call cudaSetDevice before work for a slab.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Runs the sweeps of all slabs; see solvers_10.h.
static void solve(struct team *t, int sweeps)
{
    for (int k = 0; k < sweeps; k++) {
        for (struct slab *s = t->slab; s < t->slab + t->count; s++) {
            check_cuda(cudaSetDevice(s->device));
            // TODO: Sweep the edges on s->edge and the inner rows on s->inner. Each overwrites what
            // the other read in the sweep before, and reads what it wrote. So let each stream first
            // wait for the other's event, inner_done or edge_done, and record its own at the end.
#define TODO_OPEN // delete this line when the TODO is done
            // END TODO
        }
        exchange(t); // after the edges, concurrently with the inner rows
        for (int i = 0; i < t->count; i++) {
            float *swap = t->slab[i].x;
            t->slab[i].x = t->slab[i].next;
            t->slab[i].next = swap;
        }
    }
}

int main(int argc, char **argv)
{
    return slabs_main(argc, argv, solve);
}
