// Hopper, step 3: a ring of bulk copies.
//
// In step 7 of chapter 6 each thread loaded its cell of the next plane, and the block waited for
// it at a barrier. Here bulk copies bring planes into a ring of four stages in shared memory: while
// the block computes one plane, the next two are in flight. Each stage has two mbarriers: the
// bytes complete "full", and the warps that are done with the plane complete "empty".
//
// Passes when bulk copies load each cell about once per sweep, and warps load none:
// bulk_load_bytes <= 8*6*n*n*n, global_load_requests <= n.
//
//     ctest --test-dir build -R 10-hopper.03
#include "device/bulk_copy.h"
#include "solvers_06_08.h"

#define WIDTH 128 // cells of a block in a row, WIDTH / 32 for each lane
#define HEIGHT 16 // rows of a block, one for each warp
#define PLANES 32 // that a block computes
#define STAGES 4

// The i-th plane is in stage i % STAGES, in the phase with number i / STAGES. It has a row above
// and below those of the block, and a quad to their left and right.
struct ring {
    float stage[STAGES][HEIGHT + 2][WIDTH + 8];
    mbarrier full[STAGES], empty[STAGES];
};

// What a block needs: count planes from plane first on, around its own cells from (row, column) on.
struct piece {
    int row, column, first, count;
};

// A warp issues the copies of the i-th plane: each lane that of a row within the grid, in quads.
__device__ void copy_plane(struct ring *r, int i, const float *x, struct grid g, struct piece p)
{
    int left = max(p.column - 4, 0), right = min(p.column + WIDTH + 4, ceil_div(g.width, 4) * 4);
    int top = max(p.row - 1, 0), bottom = min(p.row + HEIGHT + 1, g.height);
    int k = top + threadIdx.x, s = i % STAGES;
    const float *from = x + (size_t)(p.first + i) * g.height * g.pitch;
    unsigned bytes = (right - left) * sizeof *x;

    if (threadIdx.x == 0)
        arrive_and_expect(&r->full[s], (bottom - top) * bytes);
    if (k < bottom)
        bulk_load(&r->stage[s][k - p.row + 1][left - p.column + 4], from + cell(g, k, left), bytes, &r->full[s]);
}

// Warp 0 issues the first copies.
__device__ void open_ring(struct ring *r, const float *x, struct grid g, struct piece p)
{
    for (int s = 0; s < STAGES && threadIdx.x + threadIdx.y == 0; s++) {
        mbarrier_init(&r->full[s], 1);
        mbarrier_init(&r->empty[s], HEIGHT); // a lane of each warp arrives
    }
    mbarrier_init_fence();
    __syncthreads();
    for (int i = 0; i < min(STAGES, p.count) && threadIdx.y == 0; i++)
        copy_plane(r, i, x, g, p);
}

// Returns when the i-th plane has arrived, if there is one. The block is done with plane i - 2.
__device__ void turn_ring(struct ring *r, int i, const float *x, struct grid g, struct piece p)
{
    // TODO: From i = 2 on, let lane 0 of each warp arrive at "empty" of plane i - 2 once all lanes
    // are done with it. Then let warp 0 wait for that phase, and copy plane i - 2 + STAGES into
    // the stage. Skip this if that plane is not below p.count. Finally, if i is below p.count,
    // let all threads wait for "full" of plane i.
    int done = i - 2, s = done % STAGES;
    if (done >= 0) {
        __syncwarp(); // its lanes have read what they need
        if (threadIdx.x == 0)
            arrive(&r->empty[s]);
        if (threadIdx.y == 0 && done + STAGES < p.count) {
            wait_for_phase(&r->empty[s], done / STAGES % 2);
            copy_plane(r, done + STAGES, x, g, p);
        }
    }
    if (i < p.count)
        wait_for_phase(&r->full[i % STAGES], i / STAGES % 2);
    // END TODO
    __syncwarp(); // lanes that copy may come later than the others
}

// new_x = x after a sweep: every cell within the border becomes the average of its 6 neighbours.
__global__ void __launch_bounds__(32 * HEIGHT, 3) // three blocks: more copies in flight
    sweep(float *__restrict__ new_x, const float *__restrict__ x, struct grid g)
{
    __shared__ __align__(16) struct ring r;
    int start = blockIdx.z * PLANES, end = min(start + PLANES, g.depth), first = max(start - 1, 0);
    struct piece p = {(int)blockIdx.y * HEIGHT, (int)blockIdx.x * WIDTH, first, min(end + 1, g.depth) - first};
    int tx = threadIdx.x, ty = threadIdx.y, row = p.row + ty;
    float below[WIDTH / 32], here[WIDTH / 32] = {}, above[WIDTH / 32] = {};
    open_ring(&r, x, g, p);
    for (int z = first; z <= end; z++) { // once plane z has arrived, plane z - 1 is computed
        int i = z - first;
        turn_ring(&r, i, x, g, p);
        const float(*next)[WIDTH + 8] = r.stage[i % STAGES], (*plane)[WIDTH + 8] = r.stage[(i + STAGES - 1) % STAGES];
        for (int k = 0; k < WIDTH / 32; k++) {
            int c = 4 + tx + 32 * k, column = p.column + tx + 32 * k;
            if (column >= g.width || row >= g.height)
                continue;
            below[k] = here[k];
            here[k] = above[k];
            if (i < p.count)
                above[k] = next[ty + 1][c];
            if (z > start)
                new_x[(size_t)(z - 1) * g.height * g.pitch + cell(g, row, column)] =
                    on_border(g, row, column) || z == 1 || z == g.depth
                        ? here[k]
                        : average_6(plane[ty + 1][c - 1], plane[ty + 1][c + 1], plane[ty][c], plane[ty + 2][c],
                                    below[k], above[k]);
        }
    }
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, struct grid g, int sweeps)
{
    dim3 blocks(max(1, ceil_div(g.width, WIDTH)), max(1, ceil_div(g.height, HEIGHT)),
                max(1, ceil_div(g.depth, PLANES)));
    for (int k = 0; k < sweeps; k++) {
        sweep<<<blocks, dim3(32, HEIGHT)>>>(k % 2 ? d_x : d_new, k % 2 ? d_new : d_x, g);
        check_cuda(cudaGetLastError());
    }
    return sweeps % 2 ? d_new : d_x;
}

int main(int argc, char **argv)
{
    return space_main(argc, argv, solve);
}
