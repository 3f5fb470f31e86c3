// Histogram, step 2: a table per block.
//
// Step 1 paid for a trip to global memory per sample. Here a block counts its share of the samples
// in its own table in shared memory, and adds the table to the bins once, at the end: 256 global
// atomics for 16384 samples.
//
// Passes when global memory sees one addition per bin and block: global_atomics <= 256*blocks.
//
//     ctest --test-dir build -R 03-histogram.02
#include "histogram.h"

#define BINS 256
#define BLOCK 256   // threads per block: one per bin
#define SHARE 16384 // samples per block

// Adds to bins[v] how often v is in in[0], ..., in[n - 1]; block b counts SHARE from b * SHARE on.
__global__ void count_shares(unsigned *bins, const unsigned char *in, size_t n)
{
    __shared__ unsigned table[BINS];
    int tid = threadIdx.x;

    table[tid] = 0;

    // TODO: Count the block's samples in the table: SHARE of them from number b * SHARE on,
    // fewer if n ends earlier. Thread tid takes number tid of them and every BLOCK-th after
    // it. All threads must reach a barrier before the first sample is counted and another one
    // after the last.
    size_t first = (size_t)blockIdx.x * SHARE, last = min(first + SHARE, n);
    __syncthreads(); // every word is zero before any is counted in
    for (size_t i = first + tid; i < last; i += BLOCK)
        atomicAdd(&table[in[i]], 1);
    __syncthreads(); // all have counted
    // END TODO

    atomicAdd(&bins[tid], table[tid]);
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
