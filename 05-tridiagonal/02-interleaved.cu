// Tridiagonal systems, step 2: the systems interleaved.
//
// Step 1 paid for neighbouring lanes that are a system apart: every lane of a load touched a sector
// of its own, 32 bytes for 4. Here row 0 of all systems comes first, then row 1 of all, and so on.
// The lanes of a warp work on neighbouring systems, so they touch neighbouring words. Only the
// layout is new.
//
// Passes when all systems are right, and a load or store touches few more sectors than its words
// fill: global_load_sectors <= 1.5*global_load_sectors_ideal, global_store_sectors <=
// 1.5*global_store_sectors_ideal.
//
//     ctest --test-dir build -R 05-tridiagonal.02
#include "tridiagonal.h"

#define BLOCK 128     // threads per block
#define MAX_SIZE 4096 // rows of a system

// x = the solution of every system. c_new has room for c' of all rows.
__global__ void solve_systems(float *x, struct bands d, float *c_new, int size, int systems)
{
    int system = blockIdx.x * BLOCK + threadIdx.x;

    if (system >= systems)
        return;
    // TODO: Solve the system as in step 1. Row 0 of all systems comes first in memory, then row 1
    // of all, and so on. Down: store c' in c_new and d' in x, both at the row's element. Up:
    // replace d'_i by x_i = d'_i - c'_i x_{i+1}.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Solves all systems; d_tmp takes c'.
static void solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
{
    solve_systems<<<max(1, ceil_div(systems, BLOCK)), BLOCK>>>(d_x, d, d_tmp, size, systems);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return tridiagonal_main(argc, argv, solve, INTERLEAVED, DIRECT, MAX_SIZE);
}
