// Reduction, step 5: sequential addressing.
//
// Step 4 paid for its strided words: the lanes of a warp hit the same banks and were served one
// after another. Here the active threads are 0..stride-1, and they touch neighbouring words.
//
// Passes when the sum is right and no shared access is split: shared_excess == 0.
//
//     ctest --test-dir build -R 01-reduction.05
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

    // TODO: Fold the upper half of cache onto the lower half until one word is left. Let
    // stride go BLOCK/2, BLOCK/4, ..., 1; only threads below stride add. Every thread must
    // reach every barrier.
#define TODO_OPEN // delete this line when the TODO is done
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
