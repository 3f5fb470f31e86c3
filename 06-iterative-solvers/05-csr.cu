// Iterative solvers, step 5: rows of a few entries.
//
// Steps 2 to 4 give each warp a row. A row of 5 entries would leave 27 lanes idle, so here a thread
// takes a row. But CSR stores the rows one after another, and neighbouring threads would read words
// 5 apart. So the entries are reordered once, before the first sweep, into sliced ELL: in slices of
// 32 rows, the first entries side by side, then the second ones, and so on.
//
// Passes with about 4 sectors per request, 8 bytes for each entry and 12 for each row:
// 32*(global_load_sectors + global_store_sectors) <= 125*n*launches.
//
//     ctest --test-dir build -R 06-iterative-solvers.05
#include "solvers_05.h"

#define BLOCK 128 // threads per block, a multiple of SLICE

// Puts the entries of the CSR arrays into the slices' order; see solvers_05.h.
__global__ void fill_slices(struct sparse a)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= a.rows)
        return;

    int entry = a.start[row], end = a.start[row + 1];
    for (int i = a.slice[row / SLICE] + row % SLICE; i < a.slice[row / SLICE + 1]; i += SLICE, entry++) {
        a.slice_column[i] = entry < end ? a.column[entry] : row;
        a.slice_value[i] = entry < end ? a.value[entry] : 0;
    }
}

// new_x = x after a Jacobi sweep, a thread for each row of a, from its slices.
__global__ void sweep(float *new_x, const float *x, const float *f, struct sparse a)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= a.rows)
        return;

    float residual = f[row], diagonal = 0;
    // TODO: Go through the row's entries, from slice[row / SLICE] + row % SLICE in steps of SLICE.
    // Subtract the product of each with its x from residual. Set diagonal to the entry in column
    // row; padding, with value 0, may be in that column, too.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    new_x[row] = x[row] + residual / diagonal;
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, const float *d_f, struct sparse a, int sweeps)
{
    int blocks = max(1, ceil_div(a.rows, BLOCK));
    fill_slices<<<blocks, BLOCK>>>(a);
    check_cuda(cudaGetLastError());
    for (int k = 0; k < sweeps; k++) {
        sweep<<<blocks, BLOCK>>>(d_new, d_x, d_f, a);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return sparse_main(argc, argv, solve);
}
