// Tridiagonal systems, step 4: even and odd rows apart.
//
// Step 3 paid for its strides: its rows lie 2, 4, 8, ... words apart, in ever fewer banks. Here the
// even rows of a level stand together, and so do the odd ones. The odd rows are left and move into
// their places in the next level. The price: a second barrier, between the last read and the move.
//
// Passes with the operations of step 3 and hardly a bank conflict: shared_excess <= n/8.
//
//     ctest --test-dir build -R 05-tridiagonal.04
#include "tridiagonal.h"
#include "device/eliminate.h"

#define MAX_SIZE 1024          // rows of a system
#define WORDS (MAX_SIZE + 160) // of shared memory that a band takes

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

// The word of row i in a level of `count` rows, from the level's first word on. | 16: 16 even rows
// and 16 odd ones fill all banks.
__device__ int place(int i, int count)
{
    return i / 2 + i % 2 * (count / 2 | 16);
}

// x = the solution of every system, a block each. rows: size rounded up to a power of 2, >= 2.
__global__ void solve_systems(float *x, struct bands d, int size, int rows)
{
    __shared__ struct cache s;
    int tid = threadIdx.x, first = blockIdx.x * size, even = 0; // even: the first word of a level
    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, place(i, rows), load_row(d, first + i, i < size));
    __syncthreads();
    // TODO: Down, while a level has count > 2 rows. Odd row tid, of count/2, lies between even
    // rows tid and tid + 1 (none below the last). Eliminate these from it. It becomes row tid of
    // the next level, which begins at the first odd row's word: put it into its place there, once
    // all threads have read.
    for (int count = rows; count > 2; count /= 2) {
        int odd = even + place(1, count), is = tid < count / 2;
        struct row r = get(&s, odd + tid, is);
        if (is)
            r = eliminate(get(&s, even + tid, 1), r, get(&s, even + tid + 1, tid + 1 < count / 2));
        __syncthreads(); // all have read
        if (is)
            put(&s, odd + place(tid, count / 2), r);
        __syncthreads();
        even = odd; // the next level
    }
    // END TODO
    if (tid == 0)
        solve_pair(&s.f[even], &s.f[even + place(1, 2)], get(&s, even, 1), get(&s, even + place(1, 2), 1));
    __syncthreads();
    for (int half = 2; half < rows; half *= 2) { // up: the x of a level's odd rows are known
        int odd = even, is = tid < half;
        float above = is && tid > 0 ? s.f[odd + place(tid - 1, half)] : 0;
        float x_odd = is ? s.f[odd + place(tid, half)] : 0;
        even -= place(1, 2 * half);
        __syncthreads(); // before the x move
        if (is) {
            struct row r = get(&s, even + tid, 1);
            s.f[even + tid] = (r.f - r.a * above - r.c * x_odd) / r.b;
            s.f[odd + tid] = x_odd;
        }
        __syncthreads();
    }
    for (int i = tid; i < size; i += blockDim.x)
        x[first + i] = s.f[place(i, rows)];
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
