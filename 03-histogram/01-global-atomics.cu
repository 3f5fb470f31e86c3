// Histogram, step 1: one atomic addition per sample.
//
// Count how many of n bytes have the value 0, how many 1, ..., how many 255. Two threads with the
// same value update the same counter: counter++ would read, add and write, and could lose one of
// the two. An atomic addition loses nothing. All threads of the device queue at 256 words of global
// memory; the more alike the samples, the longer the queue.
//
// Passes when one launch counts every sample by one atomic operation: global_atomics == n.
//
//     ctest --test-dir build -R 03-histogram.01
#include "histogram.h"

#define BINS 256
#define BLOCK 256 // threads per block

// Adds to bins[v] how often v is in in[0], ..., in[n - 1], one sample per thread.
__global__ void count_all(unsigned *bins, const unsigned char *in, size_t n)
{
    // TODO: Let thread tid of block b take sample b * BLOCK + tid and add 1 to the bin of its value
    // with atomicAdd. The last block reaches past n: its threads without a sample count nothing.
    // Compute the index as size_t.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Counts the samples d_in into d_bins.
static void histogram(unsigned *d_bins, const unsigned char *d_in, size_t n)
{
    check_cuda(cudaMemset(d_bins, 0, BINS * sizeof *d_bins)); // device memory holds garbage
    count_all<<<blocks_for(n, BLOCK), BLOCK>>>(d_bins, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, histogram, BINS);
}
