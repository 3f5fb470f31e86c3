// Scan, step 5: a word of padding.
//
// Step 4 paid for its strided words: a warp's 32 words lay in 16, 8, ..., 1 of the 32 banks. Here
// one word in 33 stays empty: that shifts the elements after it by a bank, and the 32 words of a
// warp lie in different banks.
//
// Passes with the sums of step 4 and hardly any bank conflicts: shared_excess <= n/256.
//
//     ctest --test-dir build -R 02-scan.05
#include "scan.h"

#define BLOCK 512                // threads per block, a power of two
#define TILE (2 * BLOCK)         // elements of a tile, two per thread
#define WORDS (TILE + TILE / 32) // of shared memory for them

// The word of cache that holds element i of a tile.
__device__ int word(int i)
{
    int padding = 0;
    // TODO: Set padding, the number of empty words before element i, so that elements 0, 32, 64,
    // ... lie in different banks. cache has room for TILE / 32 empty words.
    padding = i / 32; // element 32 k lies in bank k % 32; without padding all lie in bank 0
    // END TODO
    return i + padding;
}

// out[i] = sum of the elements of i's tile before in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n)
{
    __shared__ int cache[WORDS];
    int tid = threadIdx.x;
    int i = blockIdx.x * TILE + tid;

    cache[word(tid)] = i < n ? in[i] : 0;
    cache[word(tid + BLOCK)] = i + BLOCK < n ? in[i + BLOCK] : 0;
    __syncthreads();

    for (int stride = 1; stride < TILE; stride *= 2) {
        int last = 2 * stride * (tid + 1) - 1;
        if (last < TILE)
            cache[word(last)] += cache[word(last - stride)];
        __syncthreads();
    }

    if (tid == 0)
        cache[word(TILE - 1)] = 0;
    __syncthreads();
    // TODO: Go down the tree as in step 4, with every element in its padded word, word(i).
    for (int stride = TILE / 2; stride > 0; stride /= 2) {
        int last = 2 * stride * (tid + 1) - 1;
        if (last < TILE) {
            int left = cache[word(last - stride)]; // the left half's sum, before it is overwritten
            cache[word(last - stride)] = cache[word(last)];
            cache[word(last)] += left;
        }
        __syncthreads();
    }
    // END TODO

    if (i < n)
        out[i] = cache[word(tid)];
    if (i + BLOCK < n)
        out[i + BLOCK] = cache[word(tid + BLOCK)];
}

// Scans every tile of d_in into d_out, one block per tile; needs no temporary memory.
static void scan(int *d_out, const int *d_in, int * /* d_tmp */, int n)
{
    int tiles = max(1, ceil_div(n, TILE));

    scan_tiles<<<tiles, BLOCK>>>(d_out, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, TILE);
}
