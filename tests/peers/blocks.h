// blocks.h: step 08 of chapter 05-tridiagonal for many systems slightly too long for step 07, compared in
// the peer's table.
//
// Step 08 reads the bands twice. If a system has at most as many chunks as a block has warps, a block can solve it and
// read them once. Include it after the step, which defines BLOCK, ROWS and join_ends. x = the solution of systems of at
// most BLOCK / WARP chunks, a block each: 20 bytes per row. The chunks' first and last rows meet in shared memory, and
// every warp solves these few for itself.
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
    eliminate_down(a, b, c, f, ROWS);
    struct row second, r = eliminate_warp(last_row(a, b, c, f, ROWS, &second), WARP - 1);
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

// As the step's solve, for systems of more than CHUNK rows and at most BLOCK / WARP chunks.
static void solve_by_blocks(float *d_x, struct bands d, float * /* d_tmp */, int size, int systems)
{
    solve_blocks<<<systems, BLOCK>>>(d_x, d, size);
    check_cuda(cudaGetLastError());
}
