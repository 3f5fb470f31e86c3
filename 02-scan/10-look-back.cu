// Scan, step 10: as fast as the memory.
//
// Step 9 paid for its chain: every tile waits for the one before, a trip through the memory each. Here a tile says as
// soon as it can what it knows, its own sum, and later the sum of all up to its end. A warp of the next tiles looks
// back: it reads 32 tiles at a time and adds up what they say, until it meets a sum of all.
//
// Whoever looks back waits for the slowest of the tiles before. So a block has three tiles at once: it looks back for
// the oldest when it has said the sum of the second, while the youngest is on its way from memory. What a block does
// within a tile is as in steps 7 and 9, in common/device/tiles.h.
//
// Passes as step 9 does, in any order of blocks.
//
//     ctest --test-dir build -R 02-scan.10
#include "scan.h"
#include "device/tiles.h"

#define BLOCK 256                // threads per block, a multiple of WARP
#define QUADS 5                  // of 4 elements, per thread; odd, so that the lanes' quads lie in different banks
#define TILE (BLOCK * 4 * QUADS) // elements of a tile
#define RESIDENT 4               // blocks per multiprocessor, at least
#define WARP 32
#define WARPS (BLOCK / WARP)
#define ALL 0xffffffff // lanes of a warp

// What a tile says is one word: a status in the upper half, 2 * epoch where the lower half is the sum of the tile,
// 2 * epoch + 1 where it is the sum of all up to its end. No two launches share an epoch, so that what an earlier
// launch said, or nobody, is not mistaken for this one's: nothing needs a reset before 2^31 launches.
//
// Relaxed is enough here, and no fence is needed. A fence orders two words, a flag and what it stands for; here
// both travel in the same word, which is stored and loaded whole: who sees the status has the sum. Device scope
// sends the accesses to the memory that all multiprocessors share.
__device__ unsigned tickets;
__device__ uint64_t words[(1 << 30) / TILE + 2];

__device__ void say(int tile, unsigned status, int sum)
{
    uint64_t word = (uint64_t)status << 32 | (unsigned)sum;
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(&words[tile]), "l"(word));
}

__device__ uint64_t ask(int tile)
{
    uint64_t word;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(word) : "l"(&words[tile]));
    return word;
}

// The sum of all elements before the tile, whose own sum is given and was said. For all lanes of a warp.
__device__ int look_back(int tile, int sum, unsigned epoch)
{
    int before = 0;
    // TODO: Look back: lane l asks tile - 1 - l, again and again until no answer of this epoch is missing but behind
    // the nearest sum of all. Add to before, in all lanes, what is said up to there. Where there is no sum of all
    // among the 32, go on with the 32 before them; before tile 0 there is one, 0. At last say before + sum, the sum
    // of all up to the tile's end.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    return before;
}

// out[i] = sum of the elements before in[i], for i < n. A block takes tiles until it gets two that are none.
__global__ void __launch_bounds__(BLOCK, RESIDENT) scan_tiles(int *out, const int *in, int n, int tiles, unsigned epoch)
{
    __shared__ int4 caches[2][WARPS][WARP * QUADS]; // of the tile whose sum was said last, and of the one before
    __shared__ int sums[WARPS], ticket, before;
    int warp = threadIdx.x / WARP, place = warp * WARP * 4 * QUADS - quad_offset(in), which = 0;
    int old = -1, old_sum = 0, old_v = 0; // the tile before, none at first
    int4 quad[QUADS];

    if (threadIdx.x == 0)
        ticket = atomicInc(&tickets, tiles + 2 * gridDim.x - 1);
    __syncthreads();
    int tile = ticket;
    load_quads(quad, QUADS, in, tile * TILE + place, n);
    __syncthreads();
    while (old < tiles) {
        if (threadIdx.x == 0)
            ticket = atomicInc(&tickets, tiles + 2 * gridDim.x - 1);
        int v = turn(caches[which][warp], quad, QUADS), sum = scan_block(v, sums), next = ticket; // behind its barrier
        if (threadIdx.x == BLOCK - 1 && tile < tiles)
            say(tile, 2 * epoch, sum);
        load_quads(quad, QUADS, in, next * TILE + place, n); // in flight while this block looks back
        if (old >= 0 && warp == WARPS - 1) {
            int back = look_back(old, __shfl_sync(ALL, old_sum, WARP - 1), epoch);
            if (threadIdx.x == BLOCK - 1)
                before = back;
        }
        __syncthreads();
        which = 1 - which;
        if (old >= 0)
            store_sums(out, old * TILE + place, n, caches[which][warp], QUADS, before + old_sum - old_v);
        old = tile, old_sum = sum, old_v = v, tile = next;
    }
}

// Scans d_in into d_out in one launch; needs no temporary memory. One call at a time: they share the tickets.
static void scan(int *d_out, const int *d_in, int * /* d_tmp */, int n)
{
    static unsigned epoch;
    static int multiprocessors, resident; // resident: blocks on each
    int tiles = max(1, ceil_div(n + quad_offset(d_in), TILE));
    if (resident == 0) {
        check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scan_tiles, BLOCK, 0));
    }
    scan_tiles<<<min(multiprocessors * resident, tiles), BLOCK>>>(d_out, d_in, n, tiles, ++epoch);
    check_cuda(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return scan_main(argc, argv, scan, EXCLUSIVE, WHOLE);
}
