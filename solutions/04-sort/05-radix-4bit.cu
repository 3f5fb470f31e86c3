// Sort, step 5: four bits at a time.
//
// Steps 3 and 4 paid for 32 passes. With digits of four bits, eight are enough, and the scan covers
// 16 counts per tile, no longer every key. But now a warp's keys would go to 16 places at once, a
// sector each. So a block first sorts its tile by the digit, in shared memory, bit by bit as in
// step 3: then nearly all neighbours go to neighbouring places.
//
// Passes with 8 passes, in which a warp's store touches few sectors more than the 4 that its 32
// keys fill: launches <= 56, global_store_sectors <= 7*global_store_requests.
//
//     ctest --test-dir build -R 04-sort.05
#include "device/prefix.h" // warp_scan, exclusive_scan: from step 7 of the scan
#include "sort.h"

#define TILE 1024 // keys of a tile, one per thread, in WARP warps
#define BITS 4    // of a digit
#define DIGITS (1 << BITS)
#define WARP 32

// counts[d * tiles + t] = how many keys of tile t have digit d.
__global__ void count_digits(unsigned *counts, const unsigned *keys, int n, int shift)
{
    __shared__ unsigned table[DIGITS];
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid;

    if (tid < DIGITS)
        table[tid] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&table[keys[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (tid < DIGITS)
        counts[tid * gridDim.x + blockIdx.x] = table[tid];
}

// The place of this thread's key in a tile split by a bit, as in step 3. For all threads.
__device__ int split_place(int bit)
{
    __shared__ unsigned zeros[TILE / WARP]; // of each warp at first, then up to its end
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP;
    unsigned mine = __ballot_sync(0xffffffff, !bit);

    if (lane == 0)
        zeros[warp] = __popc(mine);
    __syncthreads();
    if (warp == 0)
        zeros[lane] = warp_scan(zeros[lane]);
    __syncthreads();
    int before = (warp > 0 ? zeros[warp - 1] : 0) + __popc(mine & ((1u << lane) - 1));
    return bit ? zeros[TILE / WARP - 1] + tid - before : before;
}

// Moves every key after all with a lower digit and those with its digit that come before it.
// starts[d * tiles + t]: where tile t's keys with digit d begin in out.
__global__ void scatter(unsigned *out, const unsigned *keys, const unsigned *starts, int n, int shift)
{
    // TODO: Sort the tile by the digit, one bit after the other, the lowest first. For each bit,
    // put key tid into shared memory at its split_place, and take key number tid. Past the last
    // key, use a word of the highest digit. Then find the number of the first key of each digit in
    // the tile. Store key number tid, if it exists, as far past its digit's start as it is past
    // that first key.
    __shared__ unsigned cache[TILE], first[DIGITS];
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid;
    unsigned key = i < n ? keys[i] : ~0u; // no key: the highest digit, and the last of it
    for (int bit = shift; bit < shift + BITS; bit++) {
        cache[split_place(key >> bit & 1)] = key; // split_place has barriers inside
        __syncthreads();
        key = cache[tid];
    }
    unsigned digit = key >> shift & (DIGITS - 1);
    if (tid == 0 || (cache[tid - 1] >> shift & (DIGITS - 1)) != digit)
        first[digit] = tid;
    __syncthreads();
    if (i < n)
        out[starts[digit * gridDim.x + blockIdx.x] + tid - first[digit]] = key;
    // END TODO
}

// Sorts d_in into d_out. d_tmp: the keys of every other pass, the counts, what their scan needs.
static void sort(unsigned *d_out, const unsigned *d_in, unsigned *d_tmp, int n)
{
    int tiles = max(1, ceil_div(n, TILE));
    unsigned *counts = d_tmp + n, *sums = counts + DIGITS * tiles;

    for (int pass = 0; pass < 32 / BITS; pass++) {
        const unsigned *from = pass == 0 ? d_in : pass % 2 ? d_tmp : d_out;
        count_digits<<<tiles, TILE>>>(counts, from, n, pass * BITS);
        check_cuda(cudaGetLastError());
        exclusive_scan(counts, sums, DIGITS * tiles);
        scatter<<<tiles, TILE>>>(pass % 2 ? d_out : d_tmp, from, counts, n, pass * BITS);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return sort_keys_main(argc, argv, sort, UNSIGNED);
}
