// Tridiagonal systems, step 7: in the registers of a warp.
//
// Step 6 paid for its way through shared memory, and for blocks that wait for one warp. Here a lane
// has 32 neighbouring rows in registers. It eliminates all but the last alone, as in step 1. The
// warp solves what is left, a row per lane, by parallel cyclic reduction with shuffles. Then each
// lane computes its other x alone. A warp takes as many whole systems as fit into 1024 rows: they
// are one system, since a and c are 0 between them. Corner turning is as in step 8 of the scan.
//
// Passes with no block barrier and few shuffles: barriers == 0,
// shuffles >= n/128, shuffles <= n/10.
//
//     ctest --test-dir build -R 05-tridiagonal.07
#include "tridiagonal.h"
#include "device/eliminate.h" // eliminate: from step 3

#define BLOCK 128 // threads per block, a multiple of WARP
#define WARP 32
#define ROWS 32             // per lane, a multiple of 4
#define CHUNK (WARP * ROWS) // rows per warp, and the most of a system

// Eliminates a lane's rows from the first down; `left` is the last x of the lane before. Rows up to
// ROWS - 2 become x_i = f[i] - a[i] left - c[i] x_{i+1}.
__device__ void eliminate_down(float *a, float *b, float *c, float *f)
{
    float k = reciprocal(b[0]); // row 0 is divided by its b
    a[0] *= k, c[0] *= k, f[0] *= k;
    // TODO: From row 1 on, first subtract a[i] times the row above: b[i] and f[i] change, and a[i]
    // becomes the coefficient of left. Then divide by b[i], except for the last row. The b of a
    // divided row is never read again: leave it. Call reciprocal() once per row.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// The lane's last row after that. The first x of the next lane is eliminated from it, too: its
// unknowns are the last x of the lane before, of this lane and of the next one.
__device__ struct row last_row(const float *a, const float *b, const float *c, const float *f)
{
    int lane = threadIdx.x % WARP, z = ROWS - 1;
    struct row r = make_row(a[z - 1], 1, c[z - 1], f[z - 1]);
#pragma unroll
    for (int i = z - 2; i >= 0; i--) // row 0 in terms of left and the lane's last x
        r = make_row(a[i] - c[i] * r.a, 1, -c[i] * r.c, f[i] - c[i] * r.f);
    r = shuffle_row(r, lane + 1); // the next lane's; the last lane gets its own, but its c[z] is 0
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
    eliminate_down(a, b, c, f);
    struct row r = last_row(a, b, c, f);

    // TODO: Decouple the warp's rows r with stride = 1, 2, ..., WARP/2. Eliminate the rows of lanes
    // lane - stride and lane + stride from r; shuffle_row gives both to all lanes at once. If there
    // is no such lane, a or c is 0: any row will do. Set f[ROWS - 1] to the lane's last x. Then set
    // f[i] to x_i for the rows above, from what eliminate_down has left in a, c and f.
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
