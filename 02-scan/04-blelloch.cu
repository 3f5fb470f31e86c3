// Scan, step 4: Blelloch, exclusive.
//
// Step 3 computes inclusive sums. Most uses need exclusive ones: where does my share begin? The
// way down starts from 0 and passes every run the sum of everything before it. The left half of
// a run takes that as it is, the right half adds the left half's sum. The same 2 log2 n rounds;
// the words of a round lie 2, 4, 8, ... apart, so the lanes of a warp conflict in the same
// banks, as in step 3.
//
// Passes with exclusive sums and as little work as step 3: shared_load_requests <= n/4,
// shared_store_requests <= n/6.
//
//     ctest --test-dir build -R 02-scan.04
#include "scan.h"

#define BLOCK 512        // threads per block, a power of two
#define TILE (2 * BLOCK) // elements of a tile, two per thread

// out[i] = sum of the elements of i's tile before in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n)
{
    __shared__ int cache[TILE];
    int tid = threadIdx.x;
    int i = blockIdx.x * TILE + tid;

    cache[tid] = i < n ? in[i] : 0;
    cache[tid + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    __syncthreads();

    for (int stride = 1; stride < TILE; stride *= 2) {
        int last = 2 * stride * (tid + 1) - 1;
        if (last < TILE)
            cache[last] += cache[last - stride];
        __syncthreads();
    }

    // TODO: Let one thread set the tile's last word to 0: nothing comes before the tile. Go down
    // with stride = TILE/2, ..., 2, 1. The last word of thread tid's run is 2 * stride * (tid + 1)
    // - 1, as long as that is in cache. It holds the sum before the run: store this in the word
    // stride to its left. Store the sum of both words' old values in the last word. Every thread
    // must reach every barrier.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    if (i < n)
        out[i] = cache[tid];
    if (i + BLOCK < n)
        out[i + BLOCK] = cache[tid + BLOCK];
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
