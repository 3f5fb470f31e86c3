// Sort, step 6: eight bits at a time, keys with values.
//
// Step 5 paid for its blocks' sorting bit by bit, with two barriers each. Here a warp ranks 32 keys by eight bits at
// once: lanes with the same digit find each other by a match. What the warp has met of the digit so far, and the lanes
// below among those, tell a key its rank. Keys go to their rank in shared memory and from there to their places; values
// follow them. With 256 digits four passes are enough.
//
// Passes in all three orders, with and without values, with at most 5 launches a pass and 60 bytes loaded per key in
// all.
//
//     ctest --test-dir build -R 04-sort.06
#include "sort.h"
#include "device/words.h"

#define BLOCK 256            // threads per block, a multiple of WARP, at least DIGITS
#define ITEMS 16             // keys per thread
#define TILE (BLOCK * ITEMS) // keys of a tile
#define WARP 32
#define ALL 0xffffffff // lanes of a warp

// Puts the warp's words into cache by their rank. next[d]: the rank of the next word with digit d, from the first k to
// the last and in each from lane 0 to 31. rank keeps the ranks for the values.
__device__ void rank_words(unsigned *cache, int *rank, unsigned *next, const unsigned *word, int pass)
{
    for (int k = 0; k < ITEMS; k++) {
        unsigned d = digit(word[k], pass);
        rank[k] = 0; // not yet right
        // TODO: Set rank[k] to word[k]'s rank: what next holds for its digit, and the lanes below with the same digit.
        // Then count the 32 words in, one lane for each digit. No lane may read while another writes.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
        cache[rank[k]] = word[k];
    }
}

// Moves the records of a tile to their places. starts[d * tiles + t]: where those of tile t with digit d begin.
__global__ void move(struct columns out, struct columns in, const unsigned *starts, int n, int pass, enum order order)
{
    __shared__ unsigned counts[BLOCK / WARP][DIGITS], cache[TILE], place[DIGITS];
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP, tile = blockIdx.x;
    int first = tile * TILE + warp * WARP * ITEMS + lane; // of this thread's keys; the others follow WARP apart
    int rank[ITEMS];
    unsigned word[ITEMS], to[ITEMS], count, begin;        // of digit tid: how many words, the rank of the first

    for (int d = lane; d < DIGITS; d += WARP)
        counts[warp][d] = 0;
    __syncwarp();
    load_words(word, ITEMS, in.keys, first, WARP, n, pass == 0 ? order : UNSIGNED);
    for (int k = 0; k < ITEMS; k++)
        atomicAdd(&counts[warp][digit(word[k], pass)], 1);
    begin = first_ranks(counts, &count);
    rank_words(cache, rank, counts[warp], word, pass);
    if (tid < DIGITS)
        place[tid] = starts[tid * gridDim.x + tile] - begin;
    __syncthreads();
    for (int k = 0, i = tid; k < ITEMS; k++, i += BLOCK) {
        word[k] = cache[i];
        to[k] = place[digit(word[k], pass)] + i;
    }
    if (pass == PASSES - 1 && order != UNSIGNED)
        for (int k = 0; k < ITEMS; k++)
            word[k] = to_key(word[k], order);
    for (int k = 0, i = tid; k < ITEMS; k++, i += BLOCK)
        if (to[k] < n) // the stand-ins come last
            out.keys[to[k]] = word[k];
    if (in.values) {
        load_words(word, ITEMS, in.values, first, WARP, n, UNSIGNED);
        move_values(out.values, cache, word, rank, to, ITEMS, n);
    }
}

// Sorts in into out. d_tmp holds the records of every other pass, the counts, and what their scan needs.
static void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    int tiles = max(1, ceil_div(n, TILE));
    struct columns tmp = {d_tmp, in.values ? d_tmp + n : NULL};
    struct columns from[] = {in, tmp, out, tmp}, to[] = {tmp, out, tmp, out};
    unsigned *counts = d_tmp + n + n, *sums = counts + DIGITS * tiles;

    for (int pass = 0; pass < PASSES; pass++) {
        count_digits<<<tiles, DIGITS>>>(counts, from[pass].keys, n, TILE, pass, pass == 0 ? order : UNSIGNED);
        check_cuda(cudaGetLastError());
        exclusive_scan(counts, sums, DIGITS * tiles);
        move<<<tiles, BLOCK>>>(to[pass], from[pass], counts, n, pass, order);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return sort_records_main(argc, argv, sort);
}
