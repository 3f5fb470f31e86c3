// Histogram, step 6: lanes with the same bin elect one.
//
// Step 5 paid for 32 atomic operations for 32 samples, even if they are all equal. Here the lanes
// of a warp compare first: __match_any_sync gives each lane a mask of the lanes with the same bin.
// The lowest of these adds for all, the others add nothing. The price is the match itself, which
// pays off only if samples are alike.
//
// Passes when lanes match their samples, and one atomic counts for all that agree, at entropy
// 0.201: votes >= n/32, shared_atomics <= n/3.
//
//     ctest --test-dir build -R 03-histogram.06
#include "histogram.h"

#define BINS 256
#define BLOCK 256   // threads per block: one per bin
#define SHARE 16384 // samples per block
#define WARP 32
#define TABLES (BLOCK / WARP)

// Adds to bins[v] how often v is in in[0], ..., in[n - 1]; block b counts SHARE from b * SHARE on.
__global__ void count_shares(unsigned *bins, const unsigned char *in, size_t n)
{
    __shared__ unsigned table[TABLES][BINS];
    int tid = threadIdx.x;

    for (int t = 0; t < TABLES; t++)
        table[t][tid] = 0;
    __syncthreads();

    // TODO: Count the block's samples in the warp's table, BLOCK at a time. All 32 lanes of a warp
    // must reach __match_any_sync together. A lane without a sample takes part with bin BINS, which
    // is not counted. Of the lanes with the same bin, the lowest adds their number to the bin. That
    // is the number of bits set in the mask.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    __syncthreads();
    unsigned sum = 0;
    for (int t = 0; t < TABLES; t++)
        sum += table[t][tid];
    atomicAdd(&bins[tid], sum);
}

// Counts the samples d_in into d_bins.
static void histogram(unsigned *d_bins, const unsigned char *d_in, size_t n)
{
    check_cuda(cudaMemset(d_bins, 0, BINS * sizeof *d_bins)); // device memory holds garbage
    count_shares<<<blocks_for(n, SHARE), BLOCK>>>(d_bins, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, histogram, BINS);
}
