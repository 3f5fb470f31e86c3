// Tridiagonal systems, step 1: Thomas's algorithm, a thread for every system.
//
// Gaussian elimination that skips the zeros. On the way down the row above eliminates a row's a,
// and the row is divided by what is then its b: x_i + c'_i x_{i+1} = d'_i is left. On the way up
// each x follows from the one below. 8 operations per row, as few as possible, but in sequence. The
// systems lie one after another in memory: the lanes of a warp are a system apart.
//
// Passes when all systems are right: flops <= 12*n. Look at the sectors per load:
// 32, where 4 would do.
//
//     ctest --test-dir build -R 05-tridiagonal.01
#include "tridiagonal.h"

#define BLOCK 128     // threads per block
#define MAX_SIZE 4096 // rows of a system

// The element that holds row i of a system.
__device__ int place(int system, int i, int size, int /* systems */)
{
    return system * size + i;
}

// x = the solution of every system. c_new has room for c' of all rows.
__global__ void solve_systems(float *x, struct bands d, float *c_new, int size, int systems)
{
    int system = blockIdx.x * BLOCK + threadIdx.x;

    if (system >= systems)
        return;
    float value = 0; // d' of the row before; on the way up, x of the row below

    // TODO: From row 0 down to row size - 1, store c' in c_new and d' in x, at the row's place.
    // With c' and d' of the row before on the right: c' = c / (b - a * c'), and d' = (f - a * d') /
    // (b - a * c'). Before row 0 both are 0.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    for (int i = size - 1; i >= 0; i--) {
        int at = place(system, i, size, systems);
        value = x[at] - c_new[at] * value; // the last row's c' is 0
        x[at] = value;
    }
}

// Solves all systems; d_tmp takes c'.
static void solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
{
    solve_systems<<<max(1, ceil_div(systems, BLOCK)), BLOCK>>>(d_x, d, d_tmp, size, systems);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, CONTIGUOUS, DIRECT, MAX_SIZE);
}
