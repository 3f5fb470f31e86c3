// Scan, step 6: any n.
//
// Step 5 scans only single tiles. Here the tiles' sums are stored and scanned by the same function,
// until one tile is left; then every tile adds the sum of the tiles before it. Every element is
// read and written twice: 16 bytes of traffic, where 8 would do.
//
// Passes at any n, with few trips of the data through global memory:
// 32*(global_load_sectors + global_store_sectors) <= 20*n.
//
//     ctest --test-dir build -R 02-scan.06
#include "scan.h"

#define BLOCK 512                // threads per block, a power of two
#define TILE (2 * BLOCK)         // elements of a tile, two per thread
#define WORDS (TILE + TILE / 32) // of shared memory for them

// The word of cache that holds element i of a tile.
__device__ int word(int i)
{
    return i + i / 32; // one word in 33 is empty: words a power of two apart lie in different banks
}

// out[i] = sum of i's tile before in[i], for i < n; sums[t] = sum of tile t. in may be out.
__global__ void scan_tiles(int *out, int *sums, const int *in, int n)
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

    if (tid == 0) {
        sums[blockIdx.x] = cache[word(TILE - 1)];
        cache[word(TILE - 1)] = 0;
    }
    __syncthreads();
    for (int stride = TILE / 2; stride > 0; stride /= 2) {
        int last = 2 * stride * (tid + 1) - 1;
        if (last < TILE) {
            int left = cache[word(last - stride)]; // the left half's sum, before it is overwritten
            cache[word(last - stride)] = cache[word(last)];
            cache[word(last)] += left;
        }
        __syncthreads();
    }

    if (i < n)
        out[i] = cache[word(tid)];
    if (i + BLOCK < n)
        out[i + BLOCK] = cache[word(tid + BLOCK)];
}

// Adds before[t], the sum of all tiles before tile t, to every element of tile t.
__global__ void add_before(int *out, const int *before, int n)
{
    // TODO: Let thread tid of block b add before[b] to elements tid and tid + BLOCK of tile b, if
    // they are below n.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

// Scans d_in into d_out, which may be the same. d_tmp takes the tiles' sums, then sums of these.
static void scan(int *d_out, const int *d_in, int *d_tmp, int n)
{
    int tiles = max(1, ceil_div(n, TILE));

    scan_tiles<<<tiles, BLOCK>>>(d_out, d_tmp, d_in, n);
    check_cuda(cudaGetLastError());

    // TODO: If there is more than one tile, call scan to scan the tiles' sums at d_tmp in
    // place. d_tmp has room for their own sums after them. Then launch add_before, with one
    // block per tile.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, WHOLE);
}
