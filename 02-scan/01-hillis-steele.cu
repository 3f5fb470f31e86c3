// Scan, step 1: Hillis and Steele, in place.
//
// The inclusive prefix sums of every tile of 1024 ints. In round s = 1, 2, 4, ... every element
// adds the element s places to its left: after the round it holds the sum of 2s elements, after ten
// rounds the sum of all elements up to it. All threads are active in nearly every round: n log2 n
// additions, where one thread alone needs n.
//
// Passes with the right sums, no race, and about 20 rounds of shared loads:
// shared_load_requests <= 24*n/32.
//
//     ctest --test-dir build -R 02-scan.01
#include "scan.h"

#define TILE 1024 // elements of a tile, one per thread

// out[i] = sum of the elements of i's tile, up to and including in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n)
{
    __shared__ int cache[TILE];
    int tid = threadIdx.x;
    int i = blockIdx.x * TILE + tid;

    cache[tid] = i < n ? in[i] : 0;
    __syncthreads();

    // TODO: In rounds stride = 1, 2, ..., TILE/2, let every thread from stride on add the word
    // stride to its left to its own. Another thread updates that word. So no thread may write
    // before all have read, or read in the next round before all have written. Every thread must
    // reach every barrier.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO

    if (i < n)
        out[i] = cache[tid];
}

// Scans every tile of d_in into d_out, one block per tile; needs no temporary memory.
static void scan(int *d_out, const int *d_in, int * /* d_tmp */, int n)
{
    int tiles = max(1, ceil_div(n, TILE));

    scan_tiles<<<tiles, TILE>>>(d_out, d_in, n);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, INCLUSIVE, TILE);
}
