// Histogram, step 4: a table per warp.
//
// Step 3 paid in space: 256 bins for 128 threads would take 32 KB and flush four times as many
// bytes. So this step returns to words and atomics. In step 2 all 8 warps of a block share one
// table; here each warp has its own: 32 lanes compete for a hot bin, not 256. It must still be
// atomicAdd: the lanes of a warp do not run in lock step.
//
// Passes when each warp zeroes a table of its own, 8 wavefronts of 128 bytes, and no two warps
// count in one word: shared_store_wavefronts >= 8*warps, shared_atomic_warps <= 1.
//
//     ctest --test-dir build -R 03-histogram.04
#include "histogram.h"

#define BINS 256
#define BLOCK 256   // threads per block: one per bin
#define SHARE 16384 // samples per block
#define WARP 32
#define TABLES (BLOCK / WARP)

// Adds to bins[v] how often v is in in[0], ..., in[n - 1]; block b counts SHARE from b * SHARE on.
__global__ void count_shares(unsigned *bins, const unsigned char *in, size_t n)
{
    // TODO: Do as step 2 does, from the table on, but give each of the TABLES warps a table of BINS
    // words. Thread tid zeroes word tid of all tables, and counts in the table of its warp. At the
    // end it adds up word tid of all tables, and adds this one sum to bins[tid].
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
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
