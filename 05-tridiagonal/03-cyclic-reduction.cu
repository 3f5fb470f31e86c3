// Tridiagonal systems, step 3: cyclic reduction, a block for every system.
//
// Steps 1 and 2 paid for rows one after another: a system has one thread, and few systems leave the device idle. Here
// every other row is taken out of its two neighbours, all at once. Half the rows are left, a tridiagonal system again;
// so on until two are left. Then back: every row that was taken out follows from its two neighbours. For n rows these
// are 2 log2 n - 1 steps and 17 n operations, twice those of step 1.
//
// Passes when all systems are right, with 2 log2 n barriers or so per block and 20 operations per row at most. Look at
// the bank conflicts: the rows of a step lie 2, 4, 8, ... words apart.
//
//     ctest --test-dir build -R 05-tridiagonal.03
#include "tridiagonal.h"

#define MAX_SIZE 1024 // rows of a system

// The rows of a block's system.
struct cache {
    float a[MAX_SIZE], b[MAX_SIZE], c[MAX_SIZE], f[MAX_SIZE];
};

// Row i, or where there is none, x = 0.
__device__ struct row get(const struct cache *s, int i, int rows)
{
    return i >= 0 && i < rows ? make_row(s->a[i], s->b[i], s->c[i], s->f[i]) : make_row(0, 1, 0, 0);
}

__device__ void put(struct cache *s, int i, struct row r)
{
    s->a[i] = r.a, s->b[i] = r.b, s->c[i] = r.c, s->f[i] = r.f;
}

// x = the solution of every system, a block each. rows: size rounded up to a power of two, at least 2.
__global__ void solve_systems(float *x, struct bands d, int size, int rows)
{
    __shared__ struct cache s;
    int tid = threadIdx.x, first = blockIdx.x * size;

    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, i, load_row(d, first + i, i < size));
    __syncthreads();

    // TODO: Down, with stride = 1, 2, ..., rows/4: replace rows 2 * stride - 1, 4 * stride - 1, ... by what eliminate
    // leaves of them without the rows stride above and below; a thread for each. Two rows are left, rows/2 - 1 and
    // rows - 1, with unknowns b, c and a, b: let one thread solve them. x goes where f was. Up, with stride = rows/4,
    // ..., 2, 1: find x in rows stride - 1, 3 * stride - 1, ..., by the x stride above and below; above row 0 there is
    // none. A barrier after every step, for all threads.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    for (int i = tid; i < size; i += blockDim.x)
        x[first + i] = s.f[i];
}

// Solves all systems, with a thread for every other row; needs no temporary memory.
static void solve(float *d_x, struct bands d, float * /* d_tmp */, int size, int systems)
{
    int rows = 2;
    while (rows < size)
        rows *= 2;
    if (systems > 0)
        solve_systems<<<systems, rows / 2>>>(d_x, d, size, rows);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, CONTIGUOUS, DIRECT, MAX_SIZE);
}
