// Scan, step 10: decoupled look-back, as fast as the memory.
//
// In step 9 a tile waits for the one before. Here it publishes its aggregate, its own sum, at once,
// then its inclusive prefix. A warp looks back (Merrill and Garland, 2016): it loads 32 tile
// descriptors at a time and adds up aggregates until it finds a prefix. By then the block's next
// tile has published its aggregate, and the loads of the one after that are in flight.
//
// Passes when waits <= 32, and a tile looks back no further in an input of 16 n elements:
// growth <= 1.1.
//
//     ctest --test-dir build -R 02-scan.10
#include "scan.h"
#include "device/tiles.h" // work within a tile, from steps 7 to 9

#define BLOCK 256                // threads per block, a multiple of WARP
#define QUADS 5                  // of 4 elements, per thread; odd: no bank conflicts
#define TILE (BLOCK * 4 * QUADS) // elements of a tile
#define RESIDENT 4               // blocks per multiprocessor, at least
#define WARP 32
#define WARPS (BLOCK / WARP)
#define ALL 0xffffffff // lanes of a warp

// A tile descriptor: a status in the upper half, a sum in the lower. A status of any other epoch is
// invalid: nothing needs a reset before 2^31 launches. Relaxed order is enough: a fence orders two
// words, flag and value, but status and sum travel in one, stored and loaded whole.
#define AGGREGATE(epoch) (2 * (epoch))  // status: the sum is the tile's own
#define PREFIX(epoch) (2 * (epoch) + 1) // status: the sum is the inclusive prefix
__device__ uint64_t descriptors[(1 << 30) / TILE + 2];
__device__ unsigned tickets;

__device__ void publish(int tile, unsigned status, int sum)
{
    uint64_t descriptor = (uint64_t)status << 32 | (unsigned)sum;
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(&descriptors[tile]), "l"(descriptor));
}

__device__ uint64_t load_descriptor(int tile)
{
    uint64_t descriptor;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(descriptor) : "l"(&descriptors[tile]));
    return descriptor;
}

// The tile's exclusive prefix; its aggregate is given and published. For all lanes of a warp.
__device__ int look_back(int tile, int aggregate, unsigned epoch)
{
    int exclusive = 0;
    // TODO: Let lane l poll the descriptor of tile - 1 - l. Stop when every tile up to the nearest
    // inclusive prefix has published in this epoch. Add the sums up to there to exclusive, in all
    // lanes. If none of the 32 has an inclusive prefix, continue with the 32 tiles before; before
    // tile 0 the prefix is 0. Finally publish this tile's inclusive prefix, exclusive + aggregate.
    int lane = threadIdx.x % WARP;
    unsigned invalid, prefixes = 0, window;
    for (int t = tile - 1 - lane; prefixes == 0; t -= WARP) {
        uint64_t descriptor;
        do {
            descriptor = t >= 0 ? load_descriptor(t) : (uint64_t)PREFIX(epoch) << 32;
            invalid = __ballot_sync(ALL, descriptor >> 33 != (epoch & INT_MAX));
            prefixes = __ballot_sync(ALL, descriptor >> 32 == PREFIX(epoch));
            window = prefixes ^ (prefixes - 1); // lanes up to the nearest prefix, or all
        } while (invalid & window);
        int sum = window >> lane & 1 ? (int)descriptor : 0;
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(ALL, sum, offset);
        exclusive += sum;
    }
    if (lane == 0)
        publish(tile, PREFIX(epoch), exclusive + aggregate);
    // END TODO
    return exclusive;
}

// out[i] = sum before in[i], for i < n. A block takes tiles until two tickets are past the last.
__global__ void __launch_bounds__(BLOCK, RESIDENT) scan_tiles(int *out, const int *in, int n, int tiles, unsigned epoch)
{
    __shared__ int4 caches[2][WARPS][WARP * QUADS]; // for the next tile and for the oldest
    __shared__ int sums[WARPS], ticket, exclusive;
    int warp = threadIdx.x / WARP, place = warp * WARP * 4 * QUADS - quad_offset(in), which = 0;
    int old = -1, old_sum = 0, old_v = 0; // the oldest tile, none at first
    int4 quad[QUADS];

    if (threadIdx.x == 0)
        ticket = atomicInc(&tickets, tiles + 2 * gridDim.x - 1);
    __syncthreads();
    int tile = ticket;
    load_quads(quad, QUADS, in, tile * TILE + place, n);
    __syncthreads();
    while (old < tiles) {
        if (threadIdx.x == 0)
            ticket = atomicInc(&tickets, tiles + 2 * gridDim.x - 1); // scan_block has a barrier
        int v = turn(caches[which][warp], quad, QUADS), sum = scan_block(v, sums), next = ticket;
        if (threadIdx.x == BLOCK - 1 && tile < tiles)
            publish(tile, AGGREGATE(epoch), sum);
        load_quads(quad, QUADS, in, next * TILE + place, n); // in flight during the look-back
        if (old >= 0 && warp == WARPS - 1) {
            int prefix = look_back(old, __shfl_sync(ALL, old_sum, WARP - 1), epoch);
            if (threadIdx.x == BLOCK - 1)
                exclusive = prefix;
        }
        __syncthreads();
        which = 1 - which;
        if (old >= 0)
            store_sums(out, old * TILE + place, n, caches[which][warp], QUADS, exclusive + old_sum - old_v);
        old = tile, old_sum = sum, old_v = v, tile = next;
    }
}

// Scans d_in into d_out in one launch. One call at a time: they share the tickets.
static void scan(int *d_out, const int *d_in, int * /* d_tmp */, int n)
{
    static unsigned epoch;
    int tiles = max(1, ceil_div(n + quad_offset(d_in), TILE));
    scan_tiles<<<min(resident_blocks((const void *)scan_tiles, BLOCK), tiles), BLOCK>>>(d_out, d_in, n, tiles, ++epoch);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, WHOLE);
}
