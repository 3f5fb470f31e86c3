// Histogram, step 3: private counters, a byte each.
//
// Step 2 paid for atomic operations, and for waiting wherever lanes update the same word. Here
// every thread has its own counter for each of 64 bins. To fit into shared memory a counter is a
// byte, so it has to be flushed before it passes 255. The threads' places in a row are permuted:
// each lane gets a bank of its own, and the four bytes of a word go to the four warps. 64 bins of
// 128 threads take 8 KB.
//
// Passes without a shared atomic or a bank conflict, with 64 additions per block to global memory:
// shared_atomics == 0, shared_excess == 0, global_atomics <= 64*blocks.
//
//     ctest --test-dir build -R 03-histogram.03
#include "histogram.h"

#define BINS 64
#define BLOCK 128 // threads per block: 4 warps, one for each byte of a word
#define WARP 32
#define ROUND 255    // samples that a thread counts between two flushes, at most 255
#define SHARE 131072 // samples per block

// Returns the sum of bin b's counters, row b of the table: BLOCK bytes in WARP words. Zeroes them.
__device__ unsigned flush(unsigned table[BINS][WARP], int b)
{
    unsigned sum = 0;
    for (int k = 0; k < WARP; k++) {
        unsigned *word = &table[b][(b + k) % WARP]; // not k: word k of all rows is in one bank
        sum = __dp4a(*word, 0x01010101u, sum);      // adds the word's four bytes
        *word = 0;
    }
    return sum;
}

// Adds to bins[b] how many of in[0], ..., in[n - 1] have value / 4 == b; a block counts SHARE.
__global__ void count_bytes(unsigned *bins, const unsigned char *in, size_t n)
{
    __shared__ unsigned table[BINS][WARP];
    int tid = threadIdx.x;
    unsigned sum = 0; // the total flushed from row tid

    for (int b = tid / WARP; b < BINS; b += BLOCK / WARP)
        table[b][tid % WARP] = 0;
    __syncthreads();

    // TODO: In every row, let thread tid own byte tid / WARP of word tid % WARP. Count the block's
    // samples, BLOCK at a time. Thread tid adds 1 to its own byte in row value / 4, its sample's
    // bin, without an atomic. After every ROUND additions, all threads wait, threads below BINS
    // flush row tid and add its count to sum, and all wait again. The code below flushes what is
    // left at the end.
    unsigned char *mine = (unsigned char *)table + (tid % WARP * 4 + tid / WARP);
    size_t first = (size_t)blockIdx.x * SHARE, last = min(first + SHARE, n);
    int counted = 0;
    for (; first < last; first += BLOCK) {
        if (first + tid < last)
            mine[in[first + tid] / 4 * BLOCK]++; // whatever the bin, it is in this lane's bank
        if (++counted == ROUND) {
            __syncthreads();
            if (tid < BINS)
                sum += flush(table, tid);
            __syncthreads();
            counted = 0;
        }
    }
    // END TODO

    __syncthreads();
    if (tid < BINS)
        atomicAdd(&bins[tid], sum + flush(table, tid));
}

// Counts the samples d_in into d_bins.
static void histogram(unsigned *d_bins, const unsigned char *d_in, size_t n)
{
    check_cuda(cudaMemset(d_bins, 0, BINS * sizeof *d_bins)); // device memory holds garbage
    count_bytes<<<blocks_for(n, SHARE), BLOCK>>>(d_bins, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return histogram_main(argc, argv, histogram, BINS);
}
