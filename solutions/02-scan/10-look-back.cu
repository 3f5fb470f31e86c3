// Scan, step 10: as fast as the memory.
//
// Step 9 paid for its chain: every tile waits for the one before, a trip through the memory each. Here a tile says at
// once what it knows, its own sum, and later the sum of all up to its end. A warp of the next tiles looks back: it
// reads 32 tiles at a time and adds up what they say, until it meets a sum of all.
//
// Passes as step 9 does, in any order of blocks.
//
//     ctest --test-dir build -R 02-scan.10
#include "scan.h"

#define BLOCK 256                // threads per block, a multiple of WARP
#define QUADS 4                  // of 4 elements, per thread
#define TILE (BLOCK * 4 * QUADS) // elements of a tile
#define WARP 32
#define ALL 0xffffffff           // lanes of a warp
#define PLACE(q) ((q) + (q) / 8) // of quad q in a warp's cache: behind 8 quads, all 32 banks, one stays empty

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

// The sum of all elements before the tile, whose own sum is given. For all lanes of a warp.
__device__ int look_back(int tile, int sum, unsigned epoch)
{
    int before = 0;
    // TODO: Say the tile's own sum. Then look back: lane l asks tile - 1 - l, again and again until no answer of this
    // epoch is missing but behind the nearest sum of all. Add to before, in all lanes, what is said up to there. Where
    // there is no sum of all among the 32, go on with the 32 before them; before tile 0 there is one, 0. At last say
    // before + sum, the sum of all up to the tile's end.
    int lane = threadIdx.x % WARP;
    unsigned missing, ends = 0, near;
    if (lane == 0)
        say(tile, 2 * epoch, sum);
    for (int t = tile - 1 - lane; ends == 0; t -= WARP) {
        uint64_t word;
        do {
            word = t >= 0 ? ask(t) : (uint64_t)(2 * epoch + 1) << 32;
            missing = __ballot_sync(ALL, word >> 33 != (epoch & INT_MAX));
            ends = __ballot_sync(ALL, word >> 32 == 2 * epoch + 1);
            near = ends ^ (ends - 1); // lanes up to the nearest end; all, if there is none
        } while (missing & near);
        int said = near >> lane & 1 ? (int)word : 0;
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            said += __shfl_xor_sync(ALL, said, offset);
        before += said;
    }
    if (lane == 0)
        say(tile, 2 * epoch + 1, before + sum);
    // END TODO
    return before;
}

// The sum of v over the threads below this one and over the tiles before.
__device__ int look_back_scan(int v, int tile, unsigned epoch)
{
    __shared__ int cache[BLOCK / WARP], before;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, sum = v;
    for (int offset = 1; offset < WARP; offset *= 2) {
        int left = __shfl_up_sync(ALL, sum, offset);
        sum += lane >= offset ? left : 0;
    }
    if (lane == WARP - 1)
        cache[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        sum += cache[w];
    if (warp == BLOCK / WARP - 1) {
        int back = look_back(tile, __shfl_sync(ALL, sum, WARP - 1), epoch);
        if (lane == 0)
            before = back;
    }
    __syncthreads();
    return before + sum - v;
}

// out[i] = sum of the elements before in[i], for i < n.
__global__ void scan_tiles(int *out, const int *in, int n, unsigned epoch)
{
    __shared__ int4 caches[BLOCK / WARP][PLACE(WARP * QUADS)];
    __shared__ int ticket;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, sum = 0;
    int4 quad[QUADS], *cache = caches[warp];

    if (threadIdx.x == 0)
        ticket = atomicInc(&tickets, gridDim.x - 1);
    __syncthreads();
    int tile = ticket;
    int i = tile * TILE + warp * WARP * 4 * QUADS - quad_offset(in); // the warp's first element
    load_quads(quad, QUADS, in, i, n);
    for (int k = 0; k < QUADS; k++)
        cache[PLACE(lane + k * WARP)] = quad[k];
    __syncwarp(); // the cache is the warp's own: no other warp has to wait
    for (int k = 0; k < QUADS; k++) {
        quad[k] = cache[PLACE(lane * QUADS + k)];
        sum += quad[k].x + quad[k].y + quad[k].z + quad[k].w;
    }
    sum = look_back_scan(sum, tile, epoch);
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

// Scans d_in into d_out in one launch; needs no temporary memory. One call at a time: they share the tickets.
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
