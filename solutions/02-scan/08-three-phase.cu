// Scan, step 8: several elements per thread.
//
// Step 7 paid for 5 shuffles and 5 additions per element. Here a thread adds up 16 neighbours, only
// the threads' sums are scanned, and each thread adds along its elements again. A warp loads 16
// bytes per lane, and rearranges its elements in shared memory, before and after.
//
// Passes with few sums that cross lanes: shuffles <= n/32, warp_instructions <= 2*n.
//
//     ctest --test-dir build -R 02-scan.08
#include "scan.h"

#define BLOCK 256                // threads per block, a multiple of WARP
#define QUADS 4                  // of 4 elements, per thread
#define TILE (BLOCK * 4 * QUADS) // elements of a tile
#define WARP 32
#define PLACE(q) ((q) + (q) / 8) // of quad q in cache: a quad of padding after 8, all 32 banks

// The sum of v over the threads below this one; in the last thread *total is the sum over all.
__device__ int block_scan(int v, int *total)
{
    __shared__ int cache[BLOCK / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int sum = v;
    for (int offset = 1; offset < WARP; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        sum += lane >= offset ? left : 0;
    }
    if (lane == WARP - 1)
        cache[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++) // a few broadcasts: cheaper than a second warp scan
        sum += cache[w];
    *total = sum;
    return sum - v;
}

// out[i] = sum of i's tile before in[i], for i < n; sums[t] = sum of tile t. in may be out.
__global__ void scan_tiles(int *out, int *sums, const int *in, int n)
{
    __shared__ int4 caches[BLOCK / WARP][PLACE(WARP * QUADS)];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int i = blockIdx.x * TILE + warp * WARP * 4 * QUADS - quad_offset(in); // of the warp
    int4 quad[QUADS], *cache = caches[warp];
    int sum = 0, total;

    load_quads(quad, QUADS, in, i, n);
    for (int k = 0; k < QUADS; k++)
        cache[PLACE(lane + k * WARP)] = quad[k];
    __syncwarp(); // only this warp uses the cache: no other warp waits
    // TODO: The warp's quads are in cache, each in its PLACE. Load this thread's quads, numbers
    // lane * QUADS + k, into quad[k], and leave the sum of all their elements in sum.
    for (int k = 0; k < QUADS; k++) {
        quad[k] = cache[PLACE(lane * QUADS + k)];
        sum += quad[k].x + quad[k].y + quad[k].z + quad[k].w;
    }
    // END TODO
    sum = block_scan(sum, &total);
    // TODO: Replace each element in quad by the sum before it; the first becomes sum. Put the quads
    // back in cache. After a __syncwarp, take quads lane + k * WARP, so that stores are coalesced.
    for (int k = 0; k < QUADS; k++) {
        int x = sum, y = x + quad[k].x, z = y + quad[k].y, w = z + quad[k].z;
        sum = w + quad[k].w;
        cache[PLACE(lane * QUADS + k)] = make_int4(x, y, z, w);
    }
    __syncwarp();
    for (int k = 0; k < QUADS; k++)
        quad[k] = cache[PLACE(lane + k * WARP)];
    // END TODO
    store_quads(out, quad, QUADS, i, n);

    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = total;
}

// Adds before[t] to every element of tile t. offset: how many elements tile 0 lacks at its start.
__global__ void add_before(int *out, const int *before, int offset, int n)
{
    for (int k = threadIdx.x, i = blockIdx.x * TILE - offset + k; k < TILE; k += BLOCK, i += BLOCK)
        if (i >= 0 && i < n)
            out[i] += before[blockIdx.x];
}

// Scans d_in into d_out, which may be the same. d_tmp takes the tiles' sums, then sums of these.
static void scan(int *d_out, const int *d_in, int *d_tmp, int n)
{
    int offset = quad_offset(d_in), tiles = max(1, ceil_div(n + offset, TILE));

    scan_tiles<<<tiles, BLOCK>>>(d_out, d_tmp, d_in, n);
    check_cuda(cudaGetLastError());
    if (tiles > 1) {
        scan(d_tmp, d_tmp, d_tmp + tiles, tiles);
        add_before<<<tiles, BLOCK>>>(d_out, d_tmp, offset, n);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, WHOLE);
}
