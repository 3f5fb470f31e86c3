// Histogram, step 5: the lanes of a warp spread over copies of the table.
//
// Step 4 paid when the samples of a warp are alike: all 32 lanes then update one word of the
// warp's table. Here there are 8 tables as before, but neighbouring lanes count in different
// ones: even if all samples are equal, only 4 lanes share a word. A table takes 257 words: with
// 256, a bin's words in all 8 copies would lie in one bank, and lanes that no longer share a
// word would still share a bank.
//
// Passes when at most 8 lanes of a warp share a word, whatever the samples, and few share a bank:
// shared_atomic_same <= 8, shared_atomic_wavefronts <= 6*shared_atomic_requests.
//
//     ctest --test-dir build -R 03-histogram.05
#include "histogram.h"

#define BINS 256
#define BLOCK 256   // threads per block: one per bin
#define SHARE 16384 // samples per block
#define TABLES 8
#define STRIDE (BINS + 1) // words from table to table: odd

// Adds to bins[v] how often v is in in[0], ..., in[n - 1]; block b counts SHARE from b * SHARE on.
__global__ void count_shares(unsigned *bins, const unsigned char *in, size_t n)
{
    __shared__ unsigned table[TABLES * STRIDE];
    int tid = threadIdx.x;

    for (int t = 0; t < TABLES; t++)
        table[t * STRIDE + tid] = 0;

    // TODO: Count the block's samples as step 4 does, between two barriers, but let thread tid
    // count in table tid % TABLES. Table t begins at word t * STRIDE.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    unsigned sum = 0;
    for (int t = 0; t < TABLES; t++)
        sum += table[t * STRIDE + tid];
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
