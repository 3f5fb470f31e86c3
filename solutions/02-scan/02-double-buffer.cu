// Scan, step 2: two buffers.
//
// Step 1 paid for two barriers per round, one of them only to protect words that others had yet to
// read. Here a round reads one buffer and writes the other: nothing that is read is overwritten,
// and one barrier is enough. The price is twice the shared memory.
//
// Passes with one barrier for every round and one for loading: barrier_waits <= 13*n/32.
//
//     ctest --test-dir build -R 02-scan.02
#include "scan.h"

#define TILE 1024 // elements of a tile, one per thread

// out[i] = sum of the elements of i's tile, up to and including in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n)
{
    __shared__ int cache[2][TILE];
    int tid = threadIdx.x;
    int i = blockIdx.x * TILE + tid;
    int now = 0; // the buffer that holds the sums so far

    cache[now][tid] = i < n ? in[i] : 0;
    __syncthreads();

    // TODO: Do the rounds of step 1, but write each round's sums to the other buffer, 1 - now. Then
    // that buffer becomes the buffer now. Every thread writes its word in every round, even if it
    // adds nothing. Use one barrier per round.
    for (int stride = 1; stride < TILE; stride *= 2) {
        int sum = cache[now][tid];
        if (tid >= stride)
            sum += cache[now][tid - stride];
        now = 1 - now;
        cache[now][tid] = sum; // last read in the previous round: the barrier in between is enough
        __syncthreads();
    }
    // END TODO

    if (i < n)
        out[i] = cache[now][tid];
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
