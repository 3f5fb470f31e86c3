// Reduction, step 7: the last warp on its own.
//
// Step 6 paid for a barrier of all 8 warps in each of 8 rounds, though in the last six only one
// warp has work. Here that warp continues alone. It needs no block barrier, but it needs
// __syncwarp: since Volta the lanes of a warp do not run in lock step, and volatile, which older
// books rely on, orders nothing between lanes.
//
// Passes when no race is found and a block executes few barriers, 3 here where step 6 has 9:
// barriers <= 5*blocks.
//
//     ctest --test-dir build -R 01-reduction.07
#include "reduction.h"

#define BLOCK 256 // threads per block, a power of two, at least 64
#define ITEMS 4   // elements per thread
#define WARP 32

// partial[b] = sum of the BLOCK * ITEMS elements of block b; elements past n count as 0.
__global__ void reduce_block(int *partial, const int *in, int n)
{
    __shared__ int cache[BLOCK];
    int tid = threadIdx.x;
    int sum = 0;

    int i = blockIdx.x * BLOCK * ITEMS + tid;
    for (int k = 0; k < ITEMS; k++)
        if (i + k * BLOCK < n)
            sum += in[i + k * BLOCK];

    cache[tid] = sum;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            cache[tid] += cache[tid + stride];
        __syncthreads(); // outside the if: all threads, every round
    }

    // TODO: Let the first warp fold the last 2 * WARP words, with strides WARP, WARP/2, ..., 1 and
    // without a block barrier. In each round all 32 lanes read, then all write. Put a __syncwarp
    // after the reads: no lane may overwrite a word that another has yet to read. Put one after
    // the writes, too.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

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
