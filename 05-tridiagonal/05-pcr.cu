// Tridiagonal systems, step 5: parallel cyclic reduction.
//
// Step 4 paid for the back substitution, and for idle threads: half of them in the second step, all
// but one at the end. Here every row eliminates its two neighbours in every step. A system splits
// into two of half the size, then four; after log2 n steps every row is separate: no substitution.
// The price: all n rows in all steps, 12 n log2 n operations instead of 17 n.
//
// Passes with half the barriers of step 3, at the price of more operations:
// barriers <= 11*n/256, flops <= 140*n.
//
//     ctest --test-dir build -R 05-tridiagonal.05
#include "tridiagonal.h"
#include "device/eliminate.h" // eliminate: from step 3

// Rows of a system, and words of shared memory that a band takes.
#define MAX_SIZE 1024
#define WORDS MAX_SIZE

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

// x = the solution of every system, a block each, with a thread for every row.
__global__ void solve_systems(float *x, struct bands d, int size)
{
    __shared__ struct cache s[2]; // 32 KB
    int tid = threadIdx.x, first = blockIdx.x * size;
    int now = 0; // the half that holds the rows so far
    struct row r = load_row(d, first + tid, tid < size);
    put(&s[now], tid, r);
    __syncthreads();
    // TODO: Let stride go 1, 2, 4, ..., below size. Set r to the result of eliminate for it and the
    // rows stride above and below, read from the half now. Put r into the other half, which then
    // becomes the half now. Use one barrier per step, for all threads.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    if (tid < size)
        x[first + tid] = r.f / r.b;
}

// Solves all systems; needs no temporary memory.
static void solve(float *d_x, struct bands d, float * /* d_tmp */, int size, int systems)
{
    if (systems > 0)
        solve_systems<<<systems, size>>>(d_x, d, size);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, CONTIGUOUS, PARALLEL, MAX_SIZE);
}
