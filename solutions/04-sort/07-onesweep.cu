// Sort, step 7: one sweep a pass.
//
// Step 6 paid for reading all keys twice in each pass, first only to count them. How often a digit stands in all keys
// is the same in every pass: one launch counts all four digits. How often it stands in the tiles before this one they
// say themselves, as in the last step of chapter 2; here a thread for every digit looks back, while other warps are still
// ranking. And a match is slow on a GPU: eight votes tell a lane the same.
//
// Passes in all three orders, with and without values, with 6 launches and 24 bytes loaded per key in all.
//
//     ctest --test-dir build -R 04-sort.07
#include "words.h"

#define PASSES 4
#define BLOCK 384            // threads per block, a multiple of WARP, at least DIGITS
#define ITEMS 20             // keys per thread
#define TILE (BLOCK * ITEMS) // keys of a tile
#define AHEAD 4              // tiles that a thread asks at a time
#define WARP 32
#define ALL 0xffffffff // lanes of a warp

// Adds to totals[p * DIGITS + d] how many words of all keys have d for digit number p.
__global__ void __launch_bounds__(BLOCK) count_all(unsigned *totals, const unsigned *keys, int n, enum order order)
{
    __shared__ unsigned counts[PASSES * DIGITS];
    int tid = threadIdx.x;
    unsigned word[ITEMS];

    for (int i = tid; i < PASSES * DIGITS; i += BLOCK)
        counts[i] = 0;
    __syncthreads();
    for (int tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        load_words(word, ITEMS, keys, tile * TILE + tid, BLOCK, n, order); // behind the last key: the last digits,
        for (int k = 0; k < ITEMS; k++)                                    // behind which nothing starts
            for (int pass = 0; pass < PASSES; pass++)
                atomicAdd(&counts[pass * DIGITS + digit(word[k], pass)], 1);
    }
    __syncthreads();
    for (int i = tid; i < PASSES * DIGITS; i += BLOCK)
        atomicAdd(&totals[i], counts[i]);
}

// Puts the warp's words into cache by their rank. next[d]: the rank of the next word with digit d, from the first k to
// the last and in each from lane 0 to 31. rank keeps the ranks for the values.
__device__ void rank_words(unsigned *cache, int *rank, unsigned *next, const unsigned *word, int pass)
{
    int lane = threadIdx.x % WARP;
    for (int k = 0; k < ITEMS; k++) {
        unsigned d = digit(word[k], pass), peers = ALL;
        // TODO: Leave in peers the lanes whose digit is d: those that agree with this one in each of its eight bits.
        for (int bit = 1; bit < DIGITS; bit *= 2) {
            unsigned ones = __ballot_sync(ALL, d & bit);
            peers &= d & bit ? ones : ~ones;
        }
        // END TODO
        rank[k] = next[d] + __popc(peers & ((1u << lane) - 1));
        __syncwarp();           // all have read
        if (peers >> lane == 1) // the highest lane of them
            next[d] = rank[k] + 1;
        __syncwarp(); // all have written
        cache[rank[k]] = word[k];
    }
}

// Where the tile's keys with a digit begin: before, and the counts of the tiles before this one, which has count. said:
// what tile 0 says of the digit, DIGITS words before what tile 1 says.
__device__ unsigned look_back(unsigned *said, int tile, unsigned before, unsigned count, int pass)
{
    // TODO: Ask the tiles before, from the nearest on, AHEAD of them at a time, and add up what they say, up to one
    // that says UP_TO. Where one says NOTHING yet, ask it again. Then say UP_TO for this tile.
    enum status status = NOTHING;
    for (int t = tile - 1; t >= 0 && status != UP_TO;) {
        unsigned word[AHEAD];
        for (int k = 0; k < AHEAD; k++)
            word[k] = ask(&said[max(t - k, 0) * DIGITS]); // independent: all under way together
        for (int k = 0; k < AHEAD && status != UP_TO; k++) {
            status = status_of(word[k], pass);
            if (status == NOTHING)
                break;
            before += count_of(word[k]);
            t--;
        }
    }
    say(&said[tile * DIGITS], pass, UP_TO, before + count);
    // END TODO
    return before;
}

// Moves the records of a tile to their places. Tickets, totals and what is said are zero before the first pass.
__global__ void __launch_bounds__(BLOCK, 3) move(struct columns out, struct columns in, unsigned *said,
                                                 unsigned *tickets, const unsigned *totals, int n, int pass,
                                                 enum order order)
{
    __shared__ unsigned counts[BLOCK / WARP][DIGITS], cache[TILE], place[DIGITS], ticket;
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP;

    for (int d = lane; d < DIGITS; d += WARP)
        counts[warp][d] = 0;
    if (tid == 0)
        ticket = atomicAdd(&tickets[pass], 1); // the tiles before have blocks that are at work
    __syncthreads();
    int tile = ticket;
    int first = tile * TILE + warp * WARP * ITEMS + lane; // of this thread's keys; the others follow WARP apart
    int here = min(TILE, n - tile * TILE), rank[ITEMS];   // here: keys of this tile
    unsigned word[ITEMS], to[ITEMS], count, begin;        // of digit tid: how many words, the rank of the first
    load_words(word, ITEMS, in.keys, first, WARP, n, pass == 0 ? order : UNSIGNED);
    for (int k = 0; k < ITEMS; k++)
        atomicAdd(&counts[warp][digit(word[k], pass)], 1);
    begin = first_ranks(counts, &count);
    unsigned before = tile == 0 ? block_scan(tid < DIGITS ? totals[pass * DIGITS + tid] : 0) : 0; // lower digits
    if (tid < DIGITS) // early: the tiles behind need not wait until this one is ranked
        say(&said[tile * DIGITS + tid], pass, tile == 0 ? UP_TO : ALONE, before + count);
    rank_words(cache, rank, counts[warp], word, pass);
    if (tid < DIGITS)
        place[tid] = look_back(said + tid, tile, before, count, pass) - begin;
    __syncthreads();
    for (int k = 0, i = tid; k < ITEMS; k++, i += BLOCK) {
        word[k] = cache[i];
        to[k] = place[digit(word[k], pass)] + i;
        if (i < here)
            out.keys[to[k]] = to_key(word[k], pass == PASSES - 1 ? order : UNSIGNED);
    }
    if (in.values) {
        load_words(word, ITEMS, in.values, first, WARP, n, UNSIGNED);
        move_values(out.values, cache, word, rank, to, ITEMS, here);
    }
}

// Sorts in into out. d_tmp holds the records of every other pass and what tiles say, tickets and totals.
static void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    int tiles = max(1, ceil_div(n, TILE)), processors;
    struct columns tmp = {d_tmp, in.values ? d_tmp + n : NULL};
    unsigned *said = d_tmp + n + n, *totals = said + tiles * DIGITS, *tickets = totals + PASSES * DIGITS;

    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    check_cuda(cudaMemsetAsync(said, 0, (tickets + PASSES - said) * sizeof *said, 0));
    count_all<<<min(tiles, 4 * processors), BLOCK>>>(totals, in.keys, n, order);
    check_cuda(cudaGetLastError());
    for (int pass = 0; pass < PASSES; pass++) {
        struct columns from = pass == 0 ? in : pass % 2 ? tmp : out;
        move<<<tiles, BLOCK>>>(pass % 2 ? out : tmp, from, said, tickets, totals, n, pass, order);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return sort_records_main(argc, argv, sort);
}
