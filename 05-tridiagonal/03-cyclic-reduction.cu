// Tridiagonal systems, step 3: cyclic reduction, a block for every system.
//
// Steps 1 and 2 paid for rows one after another. Here every other row is eliminated from its two
// neighbours, all at once. Half the rows are left, a tridiagonal system again; and so on, down to
// two. On the way back every eliminated row gets its x from its two neighbours. For n rows: 2 log2
// n - 1 steps and 17 n operations, twice those of step 1.
//
// Passes with few operations and barriers: flops <= 20*n, barriers <= 18*blocks. Look at the bank
// conflicts: the rows of a step lie 2, 4, 8, ... words apart.
//
//     ctest --test-dir build -R 05-tridiagonal.03
#include "tridiagonal.h"

#define MAX_SIZE 1024 // rows of a system

// Row `row` after its neighbours `up` and `down` were eliminated: their equations times k1 and k2
// are subtracted. Its new neighbours are that of up above and that of down below.
__device__ struct row eliminate(struct row up, struct row row, struct row down)
{
    float k1 = row.a / up.b, k2 = row.c / down.b;
    return make_row(-k1 * up.a, row.b - k1 * up.c - k2 * down.a, -k2 * down.c, row.f - k1 * up.f - k2 * down.f);
}

struct cache {
    float a[MAX_SIZE], b[MAX_SIZE], c[MAX_SIZE], f[MAX_SIZE];
};

// Row i; where there is none, the equation x = 0.
__device__ struct row get(const struct cache *s, int i, int rows)
{
    return i >= 0 && i < rows ? make_row(s->a[i], s->b[i], s->c[i], s->f[i]) : make_row(0, 1, 0, 0);
}

__device__ void put(struct cache *s, int i, struct row r)
{
    s->a[i] = r.a, s->b[i] = r.b, s->c[i] = r.c, s->f[i] = r.f;
}

// The two x of a system of two rows: p with unknowns b and c, q with unknowns a and b.
__device__ void solve_pair(float *x_p, float *x_q, struct row p, struct row q)
{
    *x_q = (p.b * q.f - q.a * p.f) / (p.b * q.b - q.a * p.c);
    *x_p = (p.f - p.c * *x_q) / p.b;
}

// x = the solution of every system, a block each. rows: size rounded up to a power of 2, >= 2.
__global__ void solve_systems(float *x, struct bands d, int size, int rows)
{
    __shared__ struct cache s;
    int tid = threadIdx.x, first = blockIdx.x * size;

    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, i, load_row(d, first + i, i < size));
    __syncthreads();
    // TODO: Down, with stride = 1, 2, ..., rows/4: replace rows 2 * stride - 1, 4 * stride - 1, ...
    // by what eliminate makes of them and the rows stride above and below, a thread each. Let one
    // thread solve the pair that is left. Up, with stride = rows/4, ..., 1: compute x in rows
    // stride - 1, 3 * stride - 1, ... from the x stride above, if there is one, and below; x takes
    // the place of f. All threads meet at a barrier after every step.
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
