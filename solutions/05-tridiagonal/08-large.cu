// Tridiagonal systems, step 8: one system of any size.
//
// Step 7 ended at 1024 rows. Here a warp reduces a chunk of 1024 rows to its first and its last one. All of these are a
// tridiagonal system again, 512 times smaller, which the same function solves. Then every chunk knows its first and its
// last x, and is a system for step 7. The second pass reads the bands again: twice 16 bytes per row and 4 for x. What a
// warp does with its rows is as in step 7, in common/device/chunks.h.
//
// Passes at any size, with 44 bytes of traffic per row at most.
//
//     ctest --test-dir build -R 05-tridiagonal.08
#include "tridiagonal.h"
#include "device/chunks.h"

#define BLOCK 128  // threads per block, a multiple of WARP
#define RESIDENT 3 // blocks on a multiprocessor at least: 168 registers a thread are enough
#define WARP 32
#define ROWS 32             // per lane, a multiple of 4
#define CHUNK (WARP * ROWS) // rows per warp

// In lane 0 the chunk's first row, in lane WARP - 1 its last, without those between them. The last rows of lanes 0 to
// WARP - 2 are in r and know only the chunk's first x and its last. top: row 0. second: row 1, in terms of x_0 and r's
// x.
__device__ struct row join_ends(struct row top, struct row second, struct row r)
{
    // TODO: In lane 0 take `second` out of top, and then the lane's r. In lane WARP - 1 take the r of the lane before
    // out of r.
    struct row above = shuffle_row(r, threadIdx.x % WARP - 1);
    if (threadIdx.x % WARP == 0)
        r = eliminate(make_row(-1, 1, 0, 0), eliminate(make_row(-1, 1, 0, 0), top, second), r);
    else
        r = eliminate(above, r, make_row(0, 1, -1, 0));
    // END TODO
    return r;
}

// Rows 2 j and 2 j + 1 of the coarse system = the first and the last row of chunk j without those between them.
// coarse: a, b, c, f of m rows each.
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
        a[0] = -1, b[0] = 1, c[0] = 0, f[0] = 0; // x_0 is what the other rows have to the left
    struct row second, r = eliminate_lane(a, b, c, f, ROWS, &second);

    r = join_ends(top, second, eliminate_warp(r, WARP - 1));
    if (lane % (WARP - 1) == 0) {
        float *to = coarse + 2 * chunk + (lane > 0);
        to[0] = r.a, to[m] = r.b, to[2 * m] = r.c, to[3 * m] = r.f;
    }
}

// x = the solution. known: the first and the last x of every chunk; NULL where there is but one chunk.
__global__ void __launch_bounds__(BLOCK, RESIDENT) solve_chunks(float *x, struct bands d, const float *known, int n)
{
    __shared__ float4 caches[BLOCK / WARP][PLACE(CHUNK / 4)];
    float a[ROWS], b[ROWS], c[ROWS], f[ROWS];
    int warp = threadIdx.x / WARP, chunk = blockIdx.x * (BLOCK / WARP) + warp;
    int first = chunk * CHUNK, count = min(CHUNK, n - first);
    if (count <= 0)
        return;
    load_rows(a, b, c, f, ROWS, d, first, count, caches[warp]);
    // TODO: Where `known` is given, put rows that say what it knows in place of the chunk's first, row 0 of lane 0, and
    // of its last, row ROWS - 1 of lane WARP - 1: x = known[2 * chunk], and x = known[2 * chunk + 1].
    int lane = threadIdx.x % WARP;
    if (known && lane == 0)
        a[0] = 0, b[0] = 1, c[0] = 0, f[0] = known[2 * chunk];
    if (known && lane == WARP - 1)
        a[ROWS - 1] = 0, b[ROWS - 1] = 1, c[ROWS - 1] = 0, f[ROWS - 1] = known[2 * chunk + 1];
    // END TODO
    struct row second, r = eliminate_warp(eliminate_lane(a, b, c, f, ROWS, &second), WARP);
    f[ROWS - 1] = r.f / r.b;
    float left = __shfl_up_sync(0xffffffff, f[ROWS - 1], 1); // lane 0 gets its own: its a is 0
    substitute(x + first, a, c, f, ROWS, left, count, caches[warp]);
}

// x = the solution of systems of at most BLOCK / WARP chunks, a block each: 20 bytes per row. The chunks' first and
// last rows meet in shared memory, and every warp solves these few for itself.
__global__ void __launch_bounds__(BLOCK, RESIDENT) solve_blocks(float *x, struct bands d, int size)
{
    __shared__ float4 caches[BLOCK / WARP][PLACE(CHUNK / 4)];
    __shared__ struct row ends[2 * BLOCK / WARP];
    float a[ROWS], b[ROWS], c[ROWS], f[ROWS];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    int first = blockIdx.x * size + warp * CHUNK, count = max(0, min(CHUNK, size - warp * CHUNK));
    load_rows(a, b, c, f, ROWS, d, first, count, caches[warp]);
    struct row top = make_row(a[0], b[0], c[0], f[0]);
    if (lane == 0)
        a[0] = -1, b[0] = 1, c[0] = 0, f[0] = 0;
    struct row second, r = eliminate_warp(eliminate_lane(a, b, c, f, ROWS, &second), WARP - 1);
    struct row end = join_ends(top, second, r);
    if (lane % (WARP - 1) == 0)
        ends[2 * warp + (lane > 0)] = end;
    __syncthreads();
    end = eliminate_warp(lane < 2 * BLOCK / WARP ? ends[lane] : make_row(0, 1, 0, 0), 2 * BLOCK / WARP);
    float known = end.f / end.b;
    float x_first = __shfl_sync(0xffffffff, known, 2 * warp), x_last = __shfl_sync(0xffffffff, known, 2 * warp + 1);
    f[ROWS - 1] = lane == WARP - 1 ? x_last : (r.f - r.a * x_first - r.c * x_last) / r.b;
    float left = __shfl_up_sync(0xffffffff, f[ROWS - 1], 1);
    substitute(x + first, a, c, f, ROWS, lane == 0 ? x_first : left, count, caches[warp]);
}

// Solves all systems: side by side they are one. d_tmp takes the coarse system, its solution, and so on down.
static void solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
{
    int n = size * systems, chunks = max(1, ceil_div(n, CHUNK)), blocks = ceil_div(chunks, BLOCK / WARP);
    int m = (2 * chunks + 3) / 4 * 4; // from band to band, so that each is aligned to 16 bytes
    struct bands coarse = {d_tmp, d_tmp + m, d_tmp + 2 * m, d_tmp + 3 * m};
    if (systems > 1 && size > CHUNK && size <= BLOCK / WARP * CHUNK) {
        solve_blocks<<<systems, BLOCK>>>(d_x, d, size);
        check_cuda(cudaGetLastError());
        return;
    }
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
