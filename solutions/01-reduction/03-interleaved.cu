// Reduction, step 3: a tree in shared memory.
//
// Step 2 paid for its levels: each is a launch and a trip through global memory. Here a block does
// 8 levels at once, in shared memory. Only one of every 2 * stride threads is active, so all 8
// warps stay busy for five rounds with fewer and fewer lanes: 47 active warps over 8 rounds. From
// here on the elements are ints: any order gives the same sum.
//
// Passes when every element is read once, and each launch reduces 256 values to one: launches <= 3,
// global_load_sectors <= n/7.
//
//     ctest --test-dir build -R 01-reduction.03
#include "reduction.h"

#define BLOCK 256 // threads per block, a power of two

// partial[b] = sum of the BLOCK elements of block b; elements past n count as 0.
__global__ void reduce_block(int *partial, const int *in, int n)
{
    __shared__ int cache[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;

    cache[tid] = i < n ? in[i] : 0;
    __syncthreads();

    // TODO: Add up cache in place, as a tree, until cache[0] holds the sum. Let stride go 1, 2,
    // ..., BLOCK/2. Each thread whose number is a multiple of 2 * stride adds the word stride to
    // its right to its own. The next round reads what this one wrote: every thread must reach a
    // barrier in between.
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        if (tid % (2 * stride) == 0) // one lane in two, in four, ...: the others wait
            cache[tid] += cache[tid + stride];
        __syncthreads(); // outside the if: all threads, every round
    }
    // END TODO

    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

// Sums d_in into d_out[0], one launch per level; d_tmp takes the blocks' sums, the next input.
static void reduce(int *d_out, const int *d_in, int *d_tmp, int n)
{
    int blocks = max(1, ceil_div(n, BLOCK));
    int *partial = blocks == 1 ? d_out : d_tmp;

    reduce_block<<<blocks, BLOCK>>>(partial, d_in, n);
    check_cuda(cudaGetLastError());
    if (blocks > 1)
        reduce(d_out, partial, d_tmp + blocks, blocks);
}

int main(int argc, char **argv)
{
    return reduction_main(argc, argv, reduce);
}
