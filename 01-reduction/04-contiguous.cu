// Reduction, step 4: contiguous threads.
//
// Step 3 paid for its scattered threads: a warp costs the same with one active lane as with 32.
// Here consecutive threads 0, 1, 2, ... do the same additions, so that whole warps are active or
// idle: 12 active warps over 8 rounds, not 47.
//
// Passes when few warps add, 12 over all rounds after the 8 of a block have stored their elements:
// shared_store_requests <= 4*warps, shared_load_requests <= 12*warps.
//
//     ctest --test-dir build -R 01-reduction.04
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

    // TODO: Do the additions of step 3, in its order of strides, in other threads. Let thread tid
    // add to word 2 * stride * tid, as long as that word is in cache. Every thread must reach
    // every barrier.
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
