// Tridiagonal systems, step 7: in the registers of a warp.
//
// Step 6 paid for its way through shared memory, and for whole blocks that wait for one warp. Here a lane takes 32
// neighbouring rows into registers. All but the last it eliminates alone, as in step 1. What is left is a row for each
// lane, and the warp solves these by parallel cyclic reduction, with shuffles. Each lane then finds its other x alone.
// A warp takes as many whole systems as fit into 1024 rows: side by side they are one system, since a and c are 0 where
// two meet. Loads want neighbours in neighbouring lanes: shared memory turns the corner, as in step 8 of the scan.
//
// Passes without a block barrier, with 16 sectors per load and each number moved once: 20 bytes per row.
//
//     ctest --test-dir build -R 05-tridiagonal.07
#include "tridiagonal.h"

#define BLOCK 128 // threads per block, a multiple of WARP
#define WARP 32
#define ROWS 32             // per lane, a multiple of 4
#define CHUNK (WARP * ROWS) // rows per warp, and the most of a system

// Eliminates the rows of a lane but for its last, and the first one of the lane behind. What is left of them:
// x_i = f[i] - a[i] left - c[i] x_{i+1}, where `left` is the last x of the lane before; and the last row, which is
// returned: it has the last x of the lanes before and behind.
__device__ struct row eliminate_lane(float *a, float *b, float *c, float *f)
{
    int lane = threadIdx.x % WARP, z = ROWS - 1;
    // TODO: Divide row 0 by its b. From row 1 on, first take the row before, times a[i], from row i: that changes b[i]
    // and f[i], and a[i] becomes the number of left, which the row before has. Then divide it by its b, but not row z.
    // Nobody asks for b of a row that was divided: leave it. Use one reciprocal() a row.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    struct row r = make_row(a[z - 1], 1, c[z - 1], f[z - 1]);
#pragma unroll
    for (int i = z - 2; i >= 0; i--) // row 0 in terms of left and the lane's last x
        r = make_row(a[i] - c[i] * r.a, 1, -c[i] * r.c, f[i] - c[i] * r.f);
    r = shuffle_row(r, lane + 1); // the first row of the lane behind; for the last lane its own: c[z] is 0 there
    return make_row(a[z], b[z] - c[z] * r.a, -c[z] * r.c, f[z] - c[z] * r.f);
}

// x = the solution of every system, of `size` rows each, n in all.
__global__ void solve_systems(float *x, struct bands d, int size, int n)
{
    __shared__ float4 caches[BLOCK / WARP][PLACE(CHUNK / 4)];
    float a[ROWS], b[ROWS], c[ROWS], f[ROWS];
    int warp = threadIdx.x / WARP;
    int share = CHUNK / size * size; // rows of whole systems
    int first = (blockIdx.x * (BLOCK / WARP) + warp) * share, count = min(share, n - first);

    if (count <= 0)
        return;
    load_rows(a, b, c, f, ROWS, d, first, count, caches[warp]);
    struct row r = eliminate_lane(a, b, c, f);

    // TODO: The warp's 32 rows are in r. Free them of each other with stride = 1, 2, ..., WARP/2: eliminate those of
    // the lanes stride below and above in number; shuffle_row brings them, to all lanes at once. Where there is none, a
    // or c is 0, so that it does not matter what it brings. Set f[ROWS - 1] to x, and then f[i] to x_i for all rows
    // above the last, by what eliminate_lane has left in a, c and f.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    turn_quads(f, ROWS, caches[warp], 1);
    store_quads(x + first, f, ROWS, count);
}

// Solves all systems in one launch; needs no temporary memory.
static void solve(float *d_x, struct bands d, float * /* d_tmp */, int size, int systems)
{
    int warps = ceil_div(systems, CHUNK / size);
    solve_systems<<<max(1, ceil_div(warps, BLOCK / WARP)), BLOCK>>>(d_x, d, size, size * systems);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, CONTIGUOUS, PARALLEL, CHUNK);
}
