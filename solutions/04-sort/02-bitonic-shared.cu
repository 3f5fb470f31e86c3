// Sort, step 2: rounds in shared memory.
//
// Step 1 paid for a launch per round, and in each for reading all keys from global memory. Rounds
// with strides up to TILE/2 stay inside tiles of TILE keys. Here a block keeps its tile in shared
// memory through all of these: the first log2 TILE merges in one launch, and of each later merge
// all rounds after the long strides.
//
// Passes with the rounds of a tile in one launch, where step 1 has 136 launches and loads 724 bytes
// per key: launches <= 45, 32*global_load_sectors <= 200*n.
//
//     ctest --test-dir build -R 04-sort.02
#include "sort.h"

#define BLOCK 512        // threads per block, a power of two
#define TILE (2 * BLOCK) // keys of a tile, a pair per thread

// Puts a pair in order: keys i and j = i ^ flip, whose numbers differ in bit stride, and perhaps in
// bits below it. pair: its number in the round.
__device__ void order_pair(unsigned *keys, int n, int pair, int stride, int flip)
{
    int i = pair / stride * 2 * stride + pair % stride;
    int j = i ^ flip;
    if (j < n) {
        unsigned low = keys[i], high = keys[j];
        if (low > high) {
            keys[i] = high;
            keys[j] = low;
        }
    }
}

// One round: all pairs, one thread per pair.
static __global__ void compare(unsigned *keys, int n, int stride, int flip)
{
    order_pair(keys, n, blockIdx.x * BLOCK + threadIdx.x, stride, flip);
}

// Sorts every tile. merging: only one merge's half-cleaners are left, strides TILE/2, ..., 1.
__global__ void sort_tiles(unsigned *keys, int n, int merging)
{
    __shared__ unsigned cache[TILE];
    int tid = threadIdx.x, first = blockIdx.x * TILE;
    int count = min(TILE, n - first); // keys in this tile

    for (int i = tid; i < count; i += BLOCK)
        cache[i] = keys[first + i];
    __syncthreads();

    // TODO: Do the rounds of all merges in the tile, run = 1, 2, ..., TILE/2, on the count keys in
    // cache. Take them in the order of step 1's sort. If merging, do those of the last merge alone;
    // then its first round is a half-cleaner, too. All threads must finish a round before one
    // begins the next.
    for (int run = merging ? TILE / 2 : 1; run < TILE; run *= 2)
        for (int stride = run; stride > 0; stride /= 2) {
            int mirror = stride == run && !merging;
            order_pair(cache, count, tid, stride, mirror ? 2 * run - 1 : stride);
            __syncthreads();
        }
    // END TODO

    for (int i = tid; i < count; i += BLOCK)
        keys[first + i] = cache[i];
}

// Sorts a copy of d_in in d_out; needs no temporary memory.
static void sort(unsigned *d_out, const unsigned *d_in, unsigned * /* d_tmp */, int n)
{
    int tiles = max(1, ceil_div(n, TILE));

    check_cuda(cudaMemcpyAsync(d_out, d_in, (size_t)n * sizeof *d_in, cudaMemcpyDeviceToDevice, 0));
    sort_tiles<<<tiles, BLOCK>>>(d_out, n, 0);
    check_cuda(cudaGetLastError());
    for (int run = TILE; run < n; run *= 2) {
        int pairs = ceil_div(n, 2 * run) * run; // in every round of a merge
        for (int stride = run; stride >= TILE; stride /= 2) {
            int flip = stride == run ? 2 * run - 1 : stride; // mirror image, or stride away
            compare<<<ceil_div(pairs, BLOCK), BLOCK>>>(d_out, n, stride, flip);
            check_cuda(cudaGetLastError());
        }
        sort_tiles<<<tiles, BLOCK>>>(d_out, n, 1);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return sort_keys_main(argc, argv, sort, UNSIGNED);
}
