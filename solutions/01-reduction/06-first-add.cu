// Reduction, step 6: add while loading.
//
// Step 5 paid for threads that load one element and are then mostly idle. Here a thread adds 4
// elements in a register as it loads them, and the tree starts from these sums: a quarter of the
// blocks, and a quarter of the shared memory traffic per element.
//
// Passes when a warp takes 128 elements; the second launch needs a few more warps:
// warps <= n/128 + 64.
//
//     ctest --test-dir build -R 01-reduction.06
#include "reduction.h"

#define BLOCK 256 // threads per block, a power of two
#define ITEMS 4   // elements per thread

// partial[b] = sum of the BLOCK * ITEMS elements of block b; elements past n count as 0.
__global__ void reduce_block(int *partial, const int *in, int n)
{
    __shared__ int cache[BLOCK];
    int tid = threadIdx.x;
    int sum = 0;

    // TODO: Add the ITEMS elements of this thread to sum; skip those past n. The elements of block
    // b begin at b * BLOCK * ITEMS. This thread takes elements tid, tid + BLOCK, tid + 2 * BLOCK,
    // ... of them, so that every load is coalesced.
    int i = blockIdx.x * BLOCK * ITEMS + tid;
    for (int k = 0; k < ITEMS; k++)
        if (i + k * BLOCK < n)
            sum += in[i + k * BLOCK];
    // END TODO

    cache[tid] = sum;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            cache[tid] += cache[tid + stride];
        __syncthreads(); // outside the if: all threads, every round
    }

    if (tid == 0)
        partial[blockIdx.x] = cache[0];
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
