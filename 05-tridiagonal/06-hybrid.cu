// Tridiagonal systems, step 6: cyclic reduction, until a warp can take over.
//
// Step 5 paid for 12 n operations in every step, step 4 for barriers in steps of a handful of rows.
// Here a block reduces until 32 rows are left. A warp solves these by parallel cyclic reduction, in
// 5 steps without a block barrier. Then comes the back substitution.
//
// Passes with few of both: barriers <= 11*n/256, flops <= 30*n.
//
//     ctest --test-dir build -R 05-tridiagonal.06
#include "tridiagonal.h"
#include "device/cyclic.h" // reduce_rows, substitute_rows: cyclic reduction, from step 3

#define WARP 32

// Solves the WARP rows step - 1, 2 * step - 1, ..., rows - 1, by one warp.
__device__ void solve_warp(struct cache *s, int step, int rows)
{
    int i = step * (threadIdx.x + 1) - 1;
    struct row r = get(s, i, rows);
    // TODO: For stride = step, 2 * step, ..., rows/2, let every lane eliminate the rows stride
    // above and below from its row r, and put r. Lanes read what other lanes put: synchronize.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    s->f[word(i)] = r.f / r.b;
}

// x = the solution of every system, a block each. rows: size rounded up to a power of 2, >= WARP.
__global__ void solve_systems(float *x, struct bands d, int size, int rows)
{
    __shared__ struct cache s;
    int tid = threadIdx.x, first = blockIdx.x * size;
    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, i, load_row(d, first + i, i < size));
    __syncthreads();
    int step = reduce_rows(&s, rows, WARP); // down to WARP rows, which lie step apart
    if (tid < WARP)
        solve_warp(&s, step, rows);
    __syncthreads();
    substitute_rows(&s, rows, step); // up to all of them
    for (int i = tid; i < size; i += blockDim.x)
        x[first + i] = s.f[word(i)];
}

// Solves all systems; needs no temporary memory.
static void solve(float *d_x, struct bands d, float * /* d_tmp */, int size, int systems)
{
    int rows = WARP;
    while (rows < size)
        rows *= 2;
    if (systems > 0)
        solve_systems<<<systems, max(WARP, rows / 2)>>>(d_x, d, size, rows);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, CONTIGUOUS, PARALLEL, MAX_SIZE);
}
