// Tridiagonal systems, step 4: even and odd rows apart.
//
// Step 3 paid for its strides: its rows lie 2, 4, 8, ... words apart, in ever fewer banks. Here the
// even rows of a level stand side by side, and so do the odd ones. The odd rows are left and move
// on: they become the next level, even and odd rows apart again. It stands elsewhere, so that no
// row is overwritten that another thread still reads: one barrier per level, as in step 3.
//
// Passes with the barriers of step 3 and hardly a bank conflict: shared_excess <= n/8,
// barriers <= 18*blocks.
//
//     ctest --test-dir build -R 05-tridiagonal.04
#include "tridiagonal.h"
#include "device/eliminate.h"

#define MAX_SIZE 1024                   // rows of a system
#define SECOND (MAX_SIZE + 16)          // the first word of the second level; the first begins at 0
#define WORDS (SECOND + SECOND / 2 + 8) // of shared memory that a band takes

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
    int tid = threadIdx.x, first = blockIdx.x * size;
    int here = 0, next = SECOND; // the first words of this level and of the next one
    for (int i = tid; i < rows; i += blockDim.x)
        put(&s, place(i, rows), load_row(d, first + i, i < size));
    __syncthreads();
    // TODO: Down, while a level has count > 2 rows. Odd row tid, of count/2, lies between even
    // rows tid and tid + 1 (none below the last). Eliminate these from it: it becomes row tid of
    // the next level, which begins at next. Put it into its place there. After a barrier that level
    // is here, and the one after it may take the words of the odd rows, which are done with.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    if (tid == 0)
        solve_pair(&s.f[here], &s.f[here + place(1, 2)], get(&s, here, 1), get(&s, here + place(1, 2), 1));
    __syncthreads();
    for (int half = 2; half < rows; half *= 2) { // up: the x of a level's odd rows are known
        int odd = next, even = odd - place(1, 2 * half);
        if (tid < half) {
            struct row r = get(&s, even + tid, 1);
            float above = tid > 0 ? s.f[here + place(tid - 1, half)] : 0, x_odd = s.f[here + place(tid, half)];
            s.f[even + tid] = (r.f - r.a * above - r.c * x_odd) / r.b;
            s.f[odd + tid] = x_odd;
        }
        next = here;
        here = even;
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
