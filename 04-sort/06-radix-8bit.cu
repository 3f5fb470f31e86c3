// Sort, step 6: eight bits at a time, keys with values.
//
// Step 5 paid for sorting a tile bit by bit, with two barriers each. Here a warp ranks 32 keys by
// eight bits at once: a match finds the lanes with the same digit. Lower digits, earlier warps and
// lower lanes give a key its rank. Keys go to their rank in shared memory, then out; values follow.
//
// Passes in all three orders, with and without values, with 5 launches per pass: launches <= 20,
// 32*global_load_sectors <= 60*n.
//
//     ctest --test-dir build -R 04-sort.06
#include "sort.h"
#include "device/sort_digits.h" // digit and the other functions on words: from steps 4 and 5

#define BLOCK 256            // threads per block, one for each digit
#define ITEMS 16             // keys per thread
#define TILE (BLOCK * ITEMS) // keys of a tile
#define WARP 32

// counts[w][d], how many words of warp w have digit d, becomes the rank of the first: after lower
// digits, then earlier warps. Returns the rank of the tile's first word with digit tid.
__device__ unsigned first_ranks(unsigned (*counts)[DIGITS])
{
    unsigned sum = 0;
    for (int w = 0; w < blockDim.x / WARP; w++)
        sum += counts[w][threadIdx.x];
    unsigned begin = block_scan(sum), next = begin;
    for (int w = 0; w < blockDim.x / WARP; w++) {
        unsigned own = counts[w][threadIdx.x];
        counts[w][threadIdx.x] = next;
        next += own;
    }
    return begin;
}

// rank[k] = rank of word[k] in the tile. next[d]: the rank of the warp's next word with digit d,
// from the first k to the last and for each from lane 0 to 31.
__device__ void rank_words(int *rank, unsigned *next, const unsigned *word, int pass)
{
    for (int k = 0; k < ITEMS; k++) {
        // TODO: Set rank[k] to what next holds for digit(word[k], pass), plus the number of lower
        // lanes with the same digit. Then count the 32 words in next, one lane for each digit. No
        // lane may read next while another writes it.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
    }
}

// Moves a tile's records. starts[d * tiles + t]: the place of the first with digit d in tile t.
__global__ void move(struct columns out, struct columns in, const unsigned *starts, int n, int pass, enum order order)
{
    __shared__ unsigned counts[BLOCK / WARP][DIGITS], cache[TILE], place[DIGITS];
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP, rank[ITEMS];
    int first = blockIdx.x * TILE + warp * WARP * ITEMS + lane; // the thread's keys lie WARP apart
    unsigned word[ITEMS], to[ITEMS];

    for (int d = lane; d < DIGITS; d += WARP)
        counts[warp][d] = 0;
    __syncwarp();
    load_words(word, ITEMS, in.keys, first, WARP, n, pass == 0 ? order : UNSIGNED);
    for (int k = 0; k < ITEMS; k++)
        atomicAdd(&counts[warp][digit(word[k], pass)], 1);
    __syncthreads(); // all warps have counted
    place[tid] = starts[tid * gridDim.x + blockIdx.x] - first_ranks(counts);
    __syncthreads(); // all first ranks are stored
    rank_words(rank, counts[warp], word, pass);
    exchange(word, ITEMS, rank, cache); // from here on the tile is sorted by the digit
    for (int k = 0; k < ITEMS; k++)
        to[k] = place[digit(word[k], pass)] + k * BLOCK + tid;
    store_words(out.keys, word, ITEMS, to, n, pass == PASSES - 1 ? order : UNSIGNED);
    if (in.values) {
        load_words(word, ITEMS, in.values, first, WARP, n, UNSIGNED);
        __syncthreads(); // all have read their keys
        exchange(word, ITEMS, rank, cache);
        store_words(out.values, word, ITEMS, to, n, UNSIGNED);
    }
}

// Sorts in into out. d_tmp: the records of every other pass, then counts and what their scan needs.
static void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    struct columns tmp = {d_tmp, in.values ? d_tmp + n : NULL};
    for (int pass = 0; pass < PASSES; pass++) {
        struct columns to = pass % 2 ? out : tmp;
        find_starts(d_tmp + n + n, in.keys, n, TILE, pass, pass == 0 ? order : UNSIGNED);
        move<<<max(1, ceil_div(n, TILE)), BLOCK>>>(to, in, d_tmp + n + n, n, pass, order);
        check_cuda(cudaGetLastError());
        in = to;
    }
}

int main(int argc, char **argv)
{
    return sort_records_main(argc, argv, sort);
}
