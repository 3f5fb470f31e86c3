// Tridiagonal systems, step 8: one system of any size.
//
// Step 7 ended at 1024 rows. Here a warp reduces a chunk of 1024 rows to its first and its last
// one. These form a tridiagonal system again, 512 times smaller, which the same function solves.
// Then every chunk knows its first and its last x, and is a system for step 7. The second pass
// reads the bands again: twice 16 bytes per row, and 4 for x.
//
// Passes at any size: launches <= 7, global_store_sectors > n/8,
// 32*(global_load_sectors + global_store_sectors) <= 44*n.
//
//     ctest --test-dir build -R 05-tridiagonal.08
#include "tridiagonal.h"
#include "device/eliminate.h"
#include "device/tridiagonal_warp_chunk.h" // what a warp does with its chunk: from step 7

#define BLOCK 128  // threads per block, a multiple of WARP
#define RESIDENT 3 // blocks on a multiprocessor at least: 168 registers per thread are enough
#define WARP 32
#define ROWS 32             // per lane, a multiple of 4
#define CHUNK (WARP * ROWS) // rows per warp

// The chunk's first row in lane 0, its last in lane WARP - 1, without the rows between them. r: the
// last rows of the lanes. top: row 0 of lane 0. second: its row 1, in terms of x_0 and of r's x.
__device__ struct row join_ends(struct row top, struct row second, struct row r)
{
    // TODO: In lane 0, eliminate `second` from top, and then the lane's r. In lane WARP - 1,
    // eliminate the r of the lane before from r. Where a coupling must stay, pass the equation
    // x = x as that neighbour.
    struct row above = shuffle_row(r, threadIdx.x % WARP - 1);
    if (threadIdx.x % WARP == 0)
        r = eliminate(make_row(-1, 1, 0, 0), eliminate(make_row(-1, 1, 0, 0), top, second), r);
    else
        r = eliminate(above, r, make_row(0, 1, -1, 0));
    // END TODO
    return r;
}

// Rows 2 j and 2 j + 1 of the coarse system = the first and the last row of chunk j, without the
// rows between them. coarse: a, b, c, f of m rows each.
__global__ void __launch_bounds__(BLOCK, RESIDENT) reduce_chunks(float *coarse, int m, struct bands d, int n)
{
    __shared__ float4 caches[BLOCK / WARP][PLACE(CHUNK / 4)];
    float a[ROWS], b[ROWS], c[ROWS], f[ROWS];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, chunk = blockIdx.x * (BLOCK / WARP) + warp;
    int first = chunk * CHUNK, count = min(CHUNK, n - first);
    if (count <= 0)
        return;
    load_rows(a, b, c, f, ROWS, d, first, count, caches[warp]);
    struct row top = make_row(a[0], b[0], c[0], f[0]); // in lane 0, the chunk's first
    if (lane == 0)
        a[0] = -1, b[0] = 1, c[0] = 0, f[0] = 0; // x_0 = left: what the other rows need of it
    eliminate_down(a, b, c, f, ROWS);
    struct row second, r = last_row(a, b, c, f, ROWS, &second);
    r = join_ends(top, second, eliminate_warp(r, WARP - 1));
    if (lane % (WARP - 1) == 0) {
        float *to = coarse + 2 * chunk + (lane > 0);
        to[0] = r.a, to[m] = r.b, to[2 * m] = r.c, to[3 * m] = r.f;
    }
}

// x = the solution. known: the first and the last x of every chunk; NULL if there is one chunk.
__global__ void __launch_bounds__(BLOCK, RESIDENT) solve_chunks(float *x, struct bands d, const float *known, int n)
{
    __shared__ float4 caches[BLOCK / WARP][PLACE(CHUNK / 4)];
    float a[ROWS], b[ROWS], c[ROWS], f[ROWS];
    int warp = threadIdx.x / WARP, chunk = blockIdx.x * (BLOCK / WARP) + warp;
    int first = chunk * CHUNK, count = min(CHUNK, n - first);
    if (count <= 0)
        return;
    load_rows(a, b, c, f, ROWS, d, first, count, caches[warp]);
    // TODO: If known is not NULL, replace two rows of the chunk. The first, row 0 of lane 0,
    // becomes x = known[2 * chunk]; the last, row ROWS - 1 of lane WARP - 1, x = known[2 * chunk +
    // 1]. Solve the chunk as step 7 solves a system: eliminate down, decouple the last rows of all
    // WARP lanes, and substitute. There, left is the last x of the lane before.
    int lane = threadIdx.x % WARP;
    if (known && lane == 0)
        a[0] = 0, b[0] = 1, c[0] = 0, f[0] = known[2 * chunk];
    if (known && lane == WARP - 1)
        a[ROWS - 1] = 0, b[ROWS - 1] = 1, c[ROWS - 1] = 0, f[ROWS - 1] = known[2 * chunk + 1];
    eliminate_down(a, b, c, f, ROWS);
    struct row second, r = eliminate_warp(last_row(a, b, c, f, ROWS, &second), WARP);
    f[ROWS - 1] = r.f / r.b;
    float left = __shfl_up_sync(0xffffffff, f[ROWS - 1], 1); // lane 0 gets its own: its a is 0
    substitute(x + first, a, c, f, ROWS, left, count, caches[warp]);
    // END TODO
}

// Solves all systems: side by side they are one. d_tmp takes the coarse system, its solution, and
// so on, level by level.
static void solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
{
    int n = size * systems, chunks = max(1, ceil_div(n, CHUNK)), blocks = ceil_div(chunks, BLOCK / WARP);
    int m = (2 * chunks + 3) / 4 * 4; // rows of a coarse band, so that each is aligned to 16 bytes
    struct bands coarse = {d_tmp, d_tmp + m, d_tmp + 2 * m, d_tmp + 3 * m};
    if (chunks > 1) {
        reduce_chunks<<<blocks, BLOCK>>>(d_tmp, m, d, n);
        check_cuda(cudaGetLastError());
        solve(d_tmp + 4 * m, coarse, d_tmp + 5 * m, 2 * chunks, 1);
    }
    solve_chunks<<<blocks, BLOCK>>>(d_x, d, chunks > 1 ? d_tmp + 4 * m : NULL, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, CONTIGUOUS, PARALLEL, LONG);
}
