// Scan, step 9: one pass, a chained scan.
//
// Step 8 paid for three launches, and for moving every element twice. Here a tile waits for the
// inclusive prefix of its left neighbour, and publishes its own: 8 bytes per element. Blocks start
// in any order, so a tile's number is a ticket: all earlier tiles belong to running blocks.
//
// Passes with one launch, or two with a reset: launches <= 2, global_store_sectors <= n/7.
//
//     ctest --test-dir build -R 02-scan.09
#include "scan.h"

#define BLOCK 256                // threads per block, a multiple of WARP
#define QUADS 4                  // of 4 elements, per thread
#define TILE (BLOCK * 4 * QUADS) // elements of a tile
#define WARP 32
#define PLACE(q) ((q) + (q) / 8) // of quad q in cache: a quad of padding after 8, all 32 banks

// flags[t] == epoch: prefixes[t] is published. An epoch is one launch's: nothing needs a reset.
__device__ unsigned tickets;
__device__ int prefixes[(1 << 30) / TILE + 2]; // inclusive: of all elements up to the end of tile t
__device__ volatile unsigned flags[(1 << 30) / TILE + 2];

// The sum of v over the threads below this one and the tiles before; waits for the tile before.
__device__ int chained_scan(int v, int tile, unsigned epoch)
{
    __shared__ int cache[BLOCK / WARP], exclusive;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, sum = v;
    for (int offset = 1; offset < WARP; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, offset);
        sum += lane >= offset ? left : 0;
    }
    if (lane == WARP - 1)
        cache[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        sum += cache[w];
    // TODO: Let the last thread poll the flag of the tile before and load its prefix, 0 in tile 0,
    // into exclusive. Publish exclusive + sum and set this tile's flag. Fence on both sides: a
    // prefix must be visible before its flag, and not be read before the flag is seen.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    __syncthreads();
    return exclusive + sum - v;
}

// out[i] = sum of the elements before in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n, unsigned epoch)
{
    __shared__ int4 caches[BLOCK / WARP][PLACE(WARP * QUADS)];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, sum = 0;
    int4 quad[QUADS], *cache = caches[warp];
    int tile = blockIdx.x; // not yet right
    // TODO: Set tile to a ticket, taken by one thread with atomicInc, which wraps at gridDim.x - 1.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    int i = tile * TILE + warp * WARP * 4 * QUADS - quad_offset(in); // of the warp
    load_quads(quad, QUADS, in, i, n);
    for (int k = 0; k < QUADS; k++)
        cache[PLACE(lane + k * WARP)] = quad[k];
    __syncwarp(); // only this warp uses the cache: no other warp waits
    for (int k = 0; k < QUADS; k++) {
        quad[k] = cache[PLACE(lane * QUADS + k)];
        sum += quad[k].x + quad[k].y + quad[k].z + quad[k].w;
    }
    sum = chained_scan(sum, tile, epoch);
    for (int k = 0; k < QUADS; k++) {
        int x = sum, y = x + quad[k].x, z = y + quad[k].y, w = z + quad[k].z;
        sum = w + quad[k].w;
        cache[PLACE(lane * QUADS + k)] = make_int4(x, y, z, w);
    }
    __syncwarp();
    for (int k = 0; k < QUADS; k++)
        quad[k] = cache[PLACE(lane + k * WARP)];
    store_quads(out, quad, QUADS, i, n);
}

// Scans d_in into d_out in one launch. One call at a time: they share the tickets.
static void scan(int *d_out, const int *d_in, int * /* d_tmp */, int n)
{
    static unsigned epoch;
    scan_tiles<<<max(1, ceil_div(n + quad_offset(d_in), TILE)), BLOCK>>>(d_out, d_in, n, ++epoch);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, WHOLE);
}
