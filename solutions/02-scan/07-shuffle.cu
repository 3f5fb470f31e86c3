// Scan, step 7: warps scan in registers.
//
// Step 6 paid for 22 barriers per tile, and for a trip through shared memory in every round.
// Here a warp scans 32 values with five shuffles, as step 1 did with barriers: n log2 n
// additions again, but 5 of them an element, and no barrier. The warps' sums are scanned by
// one warp in the same way.
//
// Passes when 32 elements take a warp four barriers at most, and four accesses to shared memory:
// barrier_waits <= 4*n/32, shared_load_requests + shared_store_requests <= 4*n/32.
//
//     ctest --test-dir build -R 02-scan.07
#include "scan.h"

#define TILE 1024 // elements of a tile, one per thread, at most WARP * WARP
#define WARP 32

// The sum of v over this lane and those below it.
__device__ int warp_scan(int v)
{
    // TODO: In rounds offset = 1, 2, ..., WARP/2, fetch the v of the lane offset below with
    // __shfl_up_sync. Add it to v in lanes from offset on. All 32 lanes take part in every shuffle.
    for (int offset = 1; offset < WARP; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, v, offset); // outside the if: all lanes, every round
        if (threadIdx.x % WARP >= offset)
            v += left;
    }
    // END TODO
    return v;
}

// out[i] = sum of i's tile before in[i], for i < n; sums[t] = sum of tile t. in may be out.
__global__ void scan_tiles(int *out, int *sums, const int *in, int n)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * TILE + tid;
    int v = i < n ? in[i] : 0;
    int sum = warp_scan(v); // inclusive

    // TODO: Combine the warps' sums. Lane 31 of each warp stores its sum in the warp's word of a
    // shared array. After a barrier, the first warp scans these words in place, inclusively. After
    // another barrier, every warp but the first adds the word of the warp before it to sum. Then
    // sum is the inclusive sum over the tile.
    __shared__ int cache[TILE / WARP];
    if (tid % WARP == WARP - 1)
        cache[tid / WARP] = sum;
    __syncthreads();
    if (tid < WARP) {
        int warps = warp_scan(tid < TILE / WARP ? cache[tid] : 0); // the whole warp takes part
        if (tid < TILE / WARP)
            cache[tid] = warps;
    }
    __syncthreads();
    if (tid >= WARP)
        sum += cache[tid / WARP - 1];
    // END TODO

    if (i < n)
        out[i] = sum - v; // exclusive
    if (tid == TILE - 1)
        sums[blockIdx.x] = sum;
}

// Adds before[t], the sum of all tiles before tile t, to every element of tile t.
__global__ void add_before(int *out, const int *before, int n)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        out[i] += before[blockIdx.x];
}

// Scans d_in into d_out, which may be the same. d_tmp takes the tiles' sums, then sums of these.
static void scan(int *d_out, const int *d_in, int *d_tmp, int n)
{
    int tiles = max(1, ceil_div(n, TILE));

    scan_tiles<<<tiles, TILE>>>(d_out, d_tmp, d_in, n);
    check_cuda(cudaGetLastError());

    if (tiles > 1) {
        scan(d_tmp, d_tmp, d_tmp + tiles, tiles);
        add_before<<<tiles, TILE>>>(d_out, d_tmp, n);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, WHOLE);
}
