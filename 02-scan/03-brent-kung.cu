// Scan, step 3: Brent and Kung, a tree up and a tree down.
//
// Step 2 paid for n log2 n additions, since it finds every sum from scratch. Here the tree of
// chapter 1 adds up ever longer runs, and on the way down these complete the sums in between: 2n
// additions in 2 log2 n rounds, by consecutive threads 0, 1, 2, ...
//
// Passes with work that grows with n, where step 2 has n log2 n additions:
// shared_load_requests <= n/4, shared_store_requests <= n/8.
//
//     ctest --test-dir build -R 02-scan.03
#include "scan.h"

#define BLOCK 512        // threads per block, a power of two
#define TILE (2 * BLOCK) // elements of a tile, two per thread

// out[i] = sum of the elements of i's tile, up to and including in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n)
{
    __shared__ int cache[TILE];
    int tid = threadIdx.x;
    int i = blockIdx.x * TILE + tid;

    cache[tid] = i < n ? in[i] : 0;
    cache[tid + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    __syncthreads();

    // TODO: The last word of thread tid's run is 2 * stride * (tid + 1) - 1, as long as that is in
    // cache. Up, with stride = 1, 2, ..., TILE/2: add the word stride to its left to this last
    // word. Down, with stride = TILE/4, ..., 2, 1: add the last word to the word stride to its
    // right, if that is in cache. The last word is now a sum from the start of the tile. Every
    // thread must reach every barrier.
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
    return scan_main(argc, argv, scan, INCLUSIVE, TILE);
}
