// Iterative solvers, step 1: the simple iteration.
//
// A x = f. In every sweep x moves against its residual: x' = x + alpha (A x - f), with a negative
// alpha. A thread computes a row. Neighbouring threads read neighbouring rows: their words lie a
// whole row apart, in different sectors.
//
// Passes with one launch per sweep, which reads all of A: launches >= 40, launches <= 46. Look at
// the sectors per request: 32 for A.
//
//     ctest --test-dir build -R 06-iterative-solvers.01
#include "solvers_01_04.h"

#define BLOCK 128 // threads per block

// new_x = x + alpha (A x - f), for n rows; row i of A begins at a[i * pitch].
__global__ void sweep(float *new_x, const float *x, const float *a, const float *f, int n, int pitch, float alpha)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;

    // TODO: Compute the dot product of row i of A and x, and subtract f[i]. Store x[i] plus alpha
    // times that in new_x[i]. Note that i * pitch may overflow an int.
    const float *row = a + (size_t)i * pitch;
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += row[j] * x[j];
    new_x[i] = x[i] + alpha * (sum - f[i]);
    // END TODO
}

// Runs the sweeps, from d_x to d_new and back. Returns the array that then holds x.
static float *solve(float *d_x, float *d_new, const float *d_a, const float *d_f, int n, int pitch, float alpha,
                    int sweeps)
{
    for (int k = 0; k < sweeps; k++) {
        sweep<<<max(1, ceil_div(n, BLOCK)), BLOCK>>>(d_new, d_x, d_a, d_f, n, pitch, alpha);
        check_cuda(cudaGetLastError());
        float *swap = d_x;
        d_x = d_new;
        d_new = swap;
    }
    return d_x;
}

int main(int argc, char **argv)
{
    return simple_main(argc, argv, solve);
}
