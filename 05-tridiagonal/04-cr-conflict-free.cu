// Tridiagonal systems, step 4: even and odd rows apart.
//
// Step 3 paid for its strides: its rows lie 2, 4, 8, ... words apart, in fewer and fewer banks.
// Here the even rows of a level are side by side, and so are the odd ones, which become the next
// level, even and odd apart again. That is stored elsewhere, so a level needs only one barrier.
//
// Passes with hardly a bank conflict: shared_excess <= n/8, barriers <= 18*n/256.
//
//     ctest --test-dir build -R 05-tridiagonal.04
#include "tridiagonal.h"
#include "device/eliminate.h" // eliminate, solve_pair: from step 3

// Rows of a system, and words of shared memory that a band takes.
#define MAX_SIZE 1024
#define SECOND (MAX_SIZE + 16) // the first word of the second level; the first begins at 0
#define WORDS (SECOND + SECOND / 2 + 8)

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

// The place of row i in a level of `count` rows. | 16: 16 even rows and 16 odd ones fill all banks.
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
    // TODO: Down, while a level has count > 2 rows: eliminate even rows tid and tid + 1 from odd
    // row tid. None is below the last. Store it in the next level, as row tid. After a barrier,
    // that level is here, and the odd rows' words are free for the one after it.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    if (tid == 0)
        solve_pair(&s.f[here], &s.f[here + place(1, 2)], get(&s, here, 1), get(&s, here + place(1, 2), 1));
    __syncthreads();
    for (int half = 2; half < rows; half *= 2) {
        int even = next - place(1, 2 * half), i = even + tid; // the odd rows have their x
        if (tid < half) {
            struct row r = get(&s, i, 1);
            float above = tid > 0 ? s.f[here + place(tid - 1, half)] : 0, below = s.f[here + place(tid, half)];
            s.f[i] = (r.f - r.a * above - r.c * below) / r.b;
            s.f[next + tid] = below;
        }
        next = here, here = even;
        __syncthreads();
    }
    for (int i = tid; i < size; i += blockDim.x)
        x[first + i] = s.f[place(i, rows)];
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
