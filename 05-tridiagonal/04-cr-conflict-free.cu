// Tridiagonal systems, step 4: a word of padding.
//
// Step 3 paid for its strides: the rows of a step lie 2, 4, 8, ... words apart, so that a warp's lanes meet in 16, 8,
// 4,
// ... of the 32 banks. Here one word in 33 of each band stays empty, as in step 5 of the scan: words a power of two
// apart then lie in different banks.
//
// Passes with the work of step 3 and few bank conflicts: one where a warp reads 33 strides far, else none.
//
//     ctest --test-dir build -R 05-tridiagonal.04
#include "tridiagonal.h"

#define MAX_SIZE 1024                    // rows of a system
#define WORDS (MAX_SIZE + MAX_SIZE / 32) // of shared memory that a band takes

// The rows of a block's system.
struct cache {
    float a[WORDS], b[WORDS], c[WORDS], f[WORDS];
};

// The word of a band in which row i stands.
__device__ int word(int i)
{
    int padding = 0;
    // TODO: Leave one word empty behind every 32: set padding to the number of empty words before row i.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    return i + padding;
}

// Row i, or where there is none, x = 0.
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

// x = the solution of every system, a block each. rows: size rounded up to a power of two, at least 2.
__global__ void solve_systems(float *x, struct bands d, int size, int rows)
{
    __shared__ struct cache s;
    int tid = threadIdx.x, first = blockIdx.x * size;

    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, i, load_row(d, first + i, i < size));
    __syncthreads();

    for (int stride = 1; stride < rows / 2; stride *= 2) {
        int i = 2 * stride * (tid + 1) - 1;
        if (i < rows)
            put(&s, i, eliminate(get(&s, i - stride, rows), get(&s, i, rows), get(&s, i + stride, rows)));
        __syncthreads();
    }
    if (tid == 0) {
        struct row p = get(&s, rows / 2 - 1, rows), q = get(&s, rows - 1, rows);
        s.f[word(rows - 1)] = (p.b * q.f - q.a * p.f) / (p.b * q.b - q.a * p.c);
        s.f[word(rows / 2 - 1)] = (p.f - p.c * s.f[word(rows - 1)]) / p.b;
    }
    __syncthreads();
    for (int stride = rows / 4; stride > 0; stride /= 2) {
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
