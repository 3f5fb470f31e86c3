// Tridiagonal systems, step 6: cyclic reduction, until a warp can take over.
//
// Step 5 paid for 12 n operations in every step, step 4 for barriers in steps of a handful of rows.
// Here a block reduces until 32 rows are left. A warp solves these by parallel cyclic reduction, in
// 5 steps without a block barrier. Then the way back.
//
// Passes with few of both: barriers <= 10*blocks, flops <= 30*n.
//
//     ctest --test-dir build -R 05-tridiagonal.06
#include "tridiagonal.h"
#include "device/eliminate.h"

#define MAX_SIZE 1024                    // rows of a system
#define WORDS (MAX_SIZE + MAX_SIZE / 32) // of shared memory that a band takes
#define WARP 32

struct cache {
    float a[WORDS], b[WORDS], c[WORDS], f[WORDS];
};

// The word of a band that holds row i: padding as in step 5 of the scan.
__device__ int word(int i)
{
    return i + i / 32;
}

// Row i; if there is none, the equation x = 0.
__device__ struct row get(const struct cache *s, int i, int rows)
{
    int w = word(i);
    return i >= 0 && i < rows ? make_row(s->a[w], s->b[w], s->c[w], s->f[w]) : make_row(0, 1, 0, 0);
}

__device__ void put(struct cache *s, int i, struct row r)
{
    int w = word(i);
    s->a[w] = r.a, s->b[w] = r.b, s->c[w] = r.c, s->f[w] = r.f;
}

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
    int tid = threadIdx.x, first = blockIdx.x * size, step = 1;
    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, i, load_row(d, first + i, i < size));
    __syncthreads();
    for (; step < rows / WARP; step *= 2) { // down to WARP rows, which lie step apart
        int i = 2 * step * (tid + 1) - 1;
        if (i < rows)
            put(&s, i, eliminate(get(&s, i - step, rows), get(&s, i, rows), get(&s, i + step, rows)));
        __syncthreads();
    }
    if (tid < WARP)
        solve_warp(&s, step, rows);
    __syncthreads();
    for (int stride = step / 2; stride > 0; stride /= 2) {
        int i = 2 * stride * tid + stride - 1;
        if (i < rows) {
            struct row r = get(&s, i, rows);
            s.f[word(i)] = (r.f - r.a * get(&s, i - stride, rows).f - r.c * s.f[word(i + stride)]) / r.b;
        }
        __syncthreads();
    }
    for (int i = tid; i < size; i += blockDim.x)
        x[first + i] = s.f[word(i)];
}

// Solves all systems, with a thread for every other row; needs no temporary memory.
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
