// Sort, step 7: one sweep a pass.
//
// Step 6 read all keys twice in each pass, first only to count them. The digits' totals over all keys do not change:
// one launch counts all four. The tiles publish their own counts, as in chapter 2, and votes replace the slow match.
//
// Passes in all three orders, with and without values, with 6 launches, 33 bytes stored per key, and votes for ranking.
//
//     ctest --test-dir build -R 04-sort.07
#include "sort.h"
#include "device/words.h"

#define BLOCK 384            // threads per block, a multiple of WARP, at least DIGITS
#define ITEMS 20             // keys per thread
#define TILE (BLOCK * ITEMS) // keys of a tile
#define AHEAD 4              // tiles that a thread asks at a time
#define WARP 32

struct pass {
    struct columns out, in;
    unsigned *said, *totals, *tickets; // zero before the first pass; said[t * DIGITS + d]: what tile t says of digit d
    int n, number;
    enum order order;
};

// Puts the warp's words into cache by their rank. next[d]: the rank of the next word with digit d, from the first k to
// the last and in each from lane 0 to 31. rank keeps the ranks for the values.
__device__ void rank_words(unsigned *cache, int *rank, unsigned *next, const unsigned *word, int pass)
{
    for (int k = 0; k < ITEMS; k++) {
        unsigned d = digit(word[k], pass), lane = threadIdx.x % WARP, peers = 1u << lane; // not yet right
        // TODO: Leave in peers the lanes whose digit is d: those that agree with this one in each of its eight
        // bits; `agreeing` asks for one.
        peers = 0xffffffff;
        for (int bit = 1; bit < DIGITS; bit *= 2)
            peers &= agreeing(d, bit);
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
    unsigned word[AHEAD], status = NOTHING;
    for (int t = tile - 1; t >= 0 && status != UP_TO;) {
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

// Moves the records of one tile to their places; values is a constant, so that keys alone need fewer registers.
__device__ __forceinline__ void move_tile(const struct pass *pass, int values)
{
    __shared__ unsigned counts[BLOCK / WARP][DIGITS], cache[TILE], place[DIGITS], ticket;
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP, p = pass->number, rank[ITEMS];
    unsigned word[ITEMS], to[ITEMS], count, begin; // of digit tid: how many words, the rank of the first

    for (int d = lane; d < DIGITS; d += WARP)
        counts[warp][d] = 0;
    if (tid == 0)
        ticket = atomicAdd(&pass->tickets[p], 1); // the tiles before have blocks that are at work
    __syncthreads();
    int tile = ticket;
    int first = tile * TILE + warp * WARP * ITEMS + lane;       // of this thread's keys; the others follow WARP apart
    load_words(word, ITEMS, pass->in.keys, first, WARP, pass->n, p == 0 ? pass->order : UNSIGNED);
    if (values && lane < ITEMS && first - lane + lane * WARP < pass->n) // a line for each of the warp's loads to come
        asm volatile("prefetch.global.L2 [%0];" ::"l"(&pass->in.values[first - lane + lane * WARP]));
    for (int k = 0; k < ITEMS; k++)
        atomicAdd(&counts[warp][digit(word[k], p)], 1);
    begin = first_ranks(counts, &count);
    unsigned before = tile == 0 ? block_scan(tid < DIGITS ? pass->totals[p * DIGITS + tid] : 0) : 0; // lower digits
    if (tid < DIGITS) // early: the tiles behind need not wait until this one is ranked
        say(&pass->said[tile * DIGITS + tid], p, tile == 0 ? UP_TO : ALONE, before + count);
    rank_words(cache, rank, counts[warp], word, p);
    if (tid < DIGITS)
        place[tid] = look_back(pass->said + tid, tile, before, count, p) - begin;
    __syncthreads();
    for (int k = 0, i = tid; k < ITEMS; k++, i += BLOCK) {
        word[k] = cache[i];
        to[k] = place[digit(word[k], p)] + i;
    }
    if (p == PASSES - 1 && pass->order != UNSIGNED)
        for (int k = 0; k < ITEMS; k++)
            word[k] = to_key(word[k], pass->order);
    for (int k = 0, i = tid; k < ITEMS; k++, i += BLOCK)
        if (to[k] < pass->n) // the stand-ins come last
            pass->out.keys[to[k]] = word[k];
    if (values) {
        load_words(word, ITEMS, pass->in.values, first, WARP, pass->n, UNSIGNED);
        move_values(pass->out.values, cache, word, rank, to, ITEMS, pass->n);
    }
}

__global__ void __launch_bounds__(BLOCK, 3) move_keys(const struct pass pass)
{
    move_tile(&pass, 0);
}

__global__ void __launch_bounds__(BLOCK, 2) move_records(const struct pass pass)
{
    move_tile(&pass, 1);
}

// Sorts in into out. d_tmp holds the records of every other pass, and behind them struct pass's words.
static void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    int tiles = max(1, ceil_div(n, TILE));
    struct columns tmp = {d_tmp, d_tmp + n}, from[] = {in, tmp, out, tmp}, to[] = {tmp, out, tmp, out};
    unsigned *said = d_tmp + n + n, *totals = said + tiles * DIGITS, *tickets = totals + PASSES * DIGITS;

    check_cuda(cudaMemsetAsync(said, 0, (tickets + PASSES - said) * sizeof *said, 0));
    count_all_digits(totals, in.keys, n, order);
    for (int p = 0; p < PASSES; p++) {
        struct pass pass = {to[p], from[p], said, totals, tickets, n, p, order};
        if (in.values)
            move_records<<<tiles, BLOCK>>>(pass);
        else
            move_keys<<<tiles, BLOCK>>>(pass);
        check_cuda(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    return sort_records_main(argc, argv, sort);
}
