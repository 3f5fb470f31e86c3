// Tridiagonal systems, step 3: cyclic reduction, a block for every system.
//
// Steps 1 and 2 eliminate rows one after another. Here every other row is eliminated from its two
// neighbours, all at once. Half the rows are left, a tridiagonal system again; and so on, down to
// two. On the way back the others get their x. 2 log2 n - 1 steps, 17 n operations: twice step 1's.
//
// Passes with few operations and barriers: flops <= 20*n, barriers <= 18*n/256. Look at the bank
// conflicts: the rows of a step lie 2, 4, 8, ... words apart.
//
//     ctest --test-dir build -R 05-tridiagonal.03
#include "tridiagonal.h"

// Rows of a system, and words of shared memory that a band takes.
#define MAX_SIZE 1024
#define WORDS MAX_SIZE

// Row `row` after its neighbours `up` and `down` were eliminated: their equations times k1 and k2
// are subtracted. Its new neighbours are up's neighbour above and down's neighbour below.
__device__ struct row eliminate(struct row up, struct row row, struct row down)
{
    float k1 = row.a / up.b, k2 = row.c / down.b;
    return make_row(-k1 * up.a, row.b - k1 * up.c - k2 * down.a, -k2 * down.c, row.f - k1 * up.f - k2 * down.f);
}

struct cache {
    float a[WORDS], b[WORDS], c[WORDS], f[WORDS];
};

// The row at word w; if there is none, the equation x = 0.
__device__ struct row get(const struct cache *s, int w, int is)
{
    return is ? make_row(s->a[w], s->b[w], s->c[w], s->f[w]) : make_row(0, 1, 0, 0);
}

__device__ void put(struct cache *s, int w, struct row r)
{
    s->a[w] = r.a, s->b[w] = r.b, s->c[w] = r.c, s->f[w] = r.f;
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
    // TODO: Down, with stride = 1, 2, ..., rows/4: replace rows 2 * stride - 1, 4 * stride - 1,
    // ..., a thread each. Eliminate the rows stride above and below; there is none below the last.
    // Let one thread solve the pair that is left. Up, with stride = rows/4, ..., 1: compute x in
    // rows stride - 1, 3 * stride - 1, ..., in place of f. Take the x stride above, if there is
    // one, and below. All threads wait at a barrier after every step.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    for (int i = tid; i < size; i += blockDim.x)
        x[first + i] = s.f[i];
}

// Solves all systems; needs no temporary memory.
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
