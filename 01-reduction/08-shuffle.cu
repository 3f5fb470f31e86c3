// Reduction, step 8: sums pass from register to register.
//
// Step 7 paid for shared memory in every round: two loads, a store and their synchronisation for
// one addition. Here the lanes of a warp read each other's registers. Shared memory holds one word
// per warp, once.
//
// Passes when a block executes 2 barriers and a warp accesses shared memory at most twice: barriers
// <= 2*blocks, shared_load_requests + shared_store_requests <= 2*warps.
//
//     ctest --test-dir build -R 01-reduction.08
#include "reduction.h"

#define BLOCK 256 // threads per block, a multiple of WARP, at most WARP * WARP
#define ITEMS 4   // elements per thread
#define WARP 32

// The sum of v over all threads of the block, valid in thread 0.
__device__ int block_sum(int v)
{
    // TODO: In each warp, fold the upper half of the lanes onto the lower half with
    // __shfl_down_sync. Use offsets WARP/2, ..., 1 and all 32 lanes. Let lane 0 store its warp's
    // sum in the warp's word of a shared array. After a barrier, the first warp folds these
    // BLOCK/WARP words in the same way; lanes without a word contribute 0.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    return v;
}

// partial[b] = sum of the BLOCK * ITEMS elements of block b; elements past n count as 0.
__global__ void reduce_block(int *partial, const int *in, int n)
{
    int tid = threadIdx.x;
    int sum = 0;

    int i = blockIdx.x * BLOCK * ITEMS + tid;
    for (int k = 0; k < ITEMS; k++)
        if (i + k * BLOCK < n)
            sum += in[i + k * BLOCK];

    sum = block_sum(sum);
    if (tid == 0)
        partial[blockIdx.x] = sum;
}

// Sums d_in into d_out[0], one launch per level; d_tmp takes the blocks' sums, the next input.
static void reduce(int *d_out, const int *d_in, int *d_tmp, int n)
{
    int blocks = max(1, ceil_div(n, BLOCK * ITEMS));
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
