// Basics, step 2: the grid-stride loop.
//
// Step 1 started a thread for every element. A device runs some thousands at a time; the others
// wait, and each computes an index and tests a bound for one multiply-add. Here the grid is as
// large as the device, whatever n is. A thread's next element is one whole grid further on.
//
// Passes when each multiprocessor gets at most the 64 warps that it holds (graded with 16 SMs), and
// these issue fewer instructions than with one thread per element: warps <= 1024,
// warp_instructions <= 0.4*n.
//
//     ctest --test-dir build -R 00-basics.02
#include "basics.h"

#define BLOCK 256 // threads per block
#define RESIDENT 8 // blocks of this size fill a multiprocessor, which holds 2048 threads

// y[i] = a x[i] + y[i] for all i below n, with any number of blocks.
__global__ void add(float *y, const float *x, float a, size_t n)
{
    // TODO: Let a thread start at its number in the grid, blockIdx.x * BLOCK + threadIdx.x. Let it
    // advance by the number of threads in the grid, gridDim.x * BLOCK, while it is below n.
    // Compute in size_t: n may be above 2^31. In every iteration, neighbouring threads take
    // neighbouring elements.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// The number of blocks for n elements: no more than the device holds, no more than there is work
// for, and at least one, since a launch needs one.
static int grid_size(size_t n)
{
    size_t blocks = (n + BLOCK - 1) / BLOCK; // with one thread per element
    // TODO: Limit the grid to RESIDENT blocks per multiprocessor. Read the number of
    // multiprocessors of device 0 with cudaDeviceGetAttribute, cudaDevAttrMultiProcessorCount.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    return blocks > 0 ? (int)blocks : 1;
}

static void saxpy(float *d_y, const float *d_x, float a, size_t n)
{
    add<<<grid_size(n), BLOCK>>>(d_y, d_x, a, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return saxpy_main(argc, argv, saxpy);
}
