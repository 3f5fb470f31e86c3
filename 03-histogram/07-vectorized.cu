// Histogram, step 7: a bank for every lane, and as fast as the memory.
//
// Step 6 paid for a match per sample, the steps before it for lanes that share a word. Here the
// copies of step 5 go to their limit: a row of 32 words for each value, and lane l counts in word
// l, its own bank. Whatever the samples, no two lanes of a warp share a word or a bank. As in the
// last step of chapter 1, the grid is as large as the device holds at once, and a thread has four
// loads of 16 bytes in flight before it counts.
//
// Passes with 16 bytes per load and warps that take 256 samples, for 64 and for 256 bins:
// global_load_sectors >= 14*global_load_requests, warps <= n/256.
//
//     ctest --test-dir build -R 03-histogram.07
#include "histogram.h"

#define VALUES 256 // of a byte
#define BLOCK 512  // threads per block, a multiple of WARP, at least VALUES
#define ITEMS 4    // 16-byte loads that a thread has in flight
#define WARP 32

// Counts the four samples of x in column lane of the table.
__device__ void count_four(unsigned table[VALUES][WARP], int lane, unsigned x)
{
    for (int k = 0; k < 4; k++)
        atomicAdd(&table[x >> 8 * k & 255][lane], 1);
}

// Counts this thread's share of in[0], ..., in[n - 1].
__device__ void count_share(unsigned table[VALUES][WARP], const unsigned char *in, size_t n)
{
    int lane = threadIdx.x % WARP;
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    size_t head = min(n, (size_t)(-(uintptr_t)in % 16)); // before a 16-byte boundary
    size_t vectors = (n - head) / 16; // of 16 samples; at most 15 are left before them, 15 after
    if (i < n - 16 * vectors)
        atomicAdd(&table[in[i < head ? i : 16 * vectors + i]][lane], 1);

    // TODO: From sample head on, read the input as vectors, one uint4 each. Count the samples of
    // vectors i, i + (threads in the grid), ..., as long as the number is below vectors. Each of x,
    // y, z and w holds four samples. Issue ITEMS loads before counting the first sample. Test
    // bounds once per ITEMS loads, except in the last round.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Adds to bins[v >> shift] how often v is in in[0], ..., in[n - 1], for every value v.
__global__ void count_all(unsigned *bins, const unsigned char *in, size_t n, int shift)
{
    __shared__ unsigned table[VALUES][WARP];
    int tid = threadIdx.x;

    for (int v = tid / WARP; v < VALUES; v += BLOCK / WARP)
        table[v][tid % WARP] = 0;
    __syncthreads();
    count_share(table, in, n);
    __syncthreads();

    // TODO: Let threads below VALUES add up row tid of the table, each starting at a bank of its
    // own. The sums of the 1 << shift values of a bin are in neighbouring lanes. Combine them with
    // shuffles, and add one sum to each bin.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Counts d_in into d_bins in one launch: as many blocks as the device holds, fewer for a small n.
static void histogram(unsigned *d_bins, const unsigned char *d_in, size_t n, int bins)
{
    int blocks = min(resident_blocks((const void *)count_all, BLOCK), blocks_for(n, BLOCK * ITEMS * 16));

    check_cuda(cudaMemset(d_bins, 0, bins * sizeof *d_bins)); // device memory holds garbage
    count_all<<<blocks, BLOCK>>>(d_bins, d_in, n, bins == 64 ? 2 : 0);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return histogram_any_main(argc, argv, histogram);
}
