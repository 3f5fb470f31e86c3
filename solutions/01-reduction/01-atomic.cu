// Reduction, step 1: one atomic addition per element.
//
// The sum of n floats in [0,1). All threads add to one word, and the memory serves them one at a
// time: this is slow. Adding one by one also loses values that are far smaller than the sum: the
// run ends by adding many ones to 2^24, and the sum stops growing. Step 2 fixes both.
//
// Passes when one launch adds every element by one atomic operation: launches == 1,
// global_atomics == n.
//
//     ctest --test-dir build -R 01-reduction.01
#include "reduction.h"

#define BLOCK 256 // threads per block

// Adds in[0], ..., in[n - 1] to *out, one element per thread.
__global__ void add_all(float *out, const float *in, int n)
{
    // TODO: Let thread tid of block b add element b * BLOCK + tid to *out with atomicAdd. The last
    // block reaches past n: its threads without an element add nothing.
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]); // n atomics on one address: served one after another
    // END TODO
}

// Sums d_in into d_out[0], in whatever order the threads run; needs no temporary memory.
static void reduce(float *d_out, const float *d_in, float * /* d_tmp */, int n)
{
    int blocks = max(1, ceil_div(n, BLOCK));

    check_cuda(cudaMemset(d_out, 0, sizeof *d_out)); // device memory holds garbage
    add_all<<<blocks, BLOCK>>>(d_out, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return reduction_float_main(argc, argv, reduce, ANY_ORDER);
}
