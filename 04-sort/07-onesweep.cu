// Sort, step 7: one sweep per pass.
//
// Step 6 read all keys twice per pass, first only to count them. Here one launch counts all digits.
// A tile finds where its keys begin by decoupled look-back, with a tile descriptor for each digit.
//
// Passes in all three orders, keys or records: launches <= 6, 32*global_store_sectors <= 33*n,
// waits <= 32, growth <= 1.1.
//
//     ctest --test-dir build -R 04-sort.07
#include "sort.h"
#include "device/ranks.h" // ranks from step 6, the count of all digits, tile descriptors

#define BLOCK 384            // threads per block, a multiple of WARP, at least DIGITS
#define ITEMS 20             // keys per thread
#define TILE (BLOCK * ITEMS) // keys of a tile
#define AHEAD 4              // tile descriptors that a thread loads at a time
#define WARP 32

// The lanes with the same bit of d as this one. 4 instructions in PTX; ballot and select in C: 7.
__device__ unsigned agreeing(unsigned d, unsigned bit)
{
    unsigned lanes = d & bit;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, -1; @!p not.b32 %0, %0;}"
                 : "+r"(lanes));
    return lanes;
}

// Puts the warp's words into cache by their rank, as step 6 does; next: as in step 6.
__device__ void rank_words(unsigned *cache, int *rank, unsigned *next, const unsigned *word, int pass)
{
    for (int k = 0; k < ITEMS; k++) {
        unsigned d = digit(word[k], pass), peers = 1u << threadIdx.x % WARP; // not yet right
        // TODO: Leave in peers the lanes whose digit is d: those that agree in each of its 8 bits.
#define TODO_OPEN // delete this line when the TODO is done
        // END TODO
        rank[k] = rank_word(next, d, peers);
        cache[rank[k]] = word[k];
    }
}

// The tile's exclusive prefix for a digit: where its keys begin. exclusive: that of tile 0.
// aggregate: this tile's. descriptors: tile 0's; the next tile's is DIGITS words further.
__device__ unsigned look_back(unsigned *descriptors, int tile, unsigned exclusive, unsigned aggregate, int pass)
{
    // TODO: Load the descriptors of the tiles before, the nearest first, AHEAD of them at a time.
    // Add up their counts to exclusive, as far as the first PREFIX. Poll a descriptor as long as it
    // is INVALID. Finally publish PREFIX for this tile.
#define TODO_OPEN // delete this line when the TODO is done
    // END TODO
    return exclusive;
}

// Moves the records of one tile. values is a constant, so that keys alone need fewer registers.
__device__ __forceinline__ void move_tile(const struct pass *pass, int values)
{
    __shared__ unsigned counts[BLOCK / WARP][DIGITS], cache[TILE], place[DIGITS];
    int tid = threadIdx.x, lane = tid % WARP, warp = tid / WARP, p = pass->number, rank[ITEMS];
    unsigned word[ITEMS], to[ITEMS], aggregate; // of digit tid
    int tile = take_ticket(&pass->tickets[p]);  // all earlier tiles belong to running blocks
    int first = tile * TILE + warp * WARP * ITEMS + lane;
    load_words(word, ITEMS, pass->in.keys, first, WARP, pass->n, p == 0 ? pass->order : UNSIGNED);
    prefetch(values ? pass->in.values : NULL, ITEMS, first, pass->n);
    count_words(counts[warp], word, ITEMS, p);
    unsigned begin = first_ranks(counts, &aggregate); // the rank of the first word with digit tid
    unsigned exclusive = tile == 0 ? first_place(pass->totals + p * DIGITS) : 0;
    if (tid < DIGITS) // early: later tiles need not wait until this one is ranked
        publish(&pass->descriptors[tile * DIGITS + tid], p, tile == 0 ? PREFIX : AGGREGATE, exclusive + aggregate);
    rank_words(cache, rank, counts[warp], word, p);
    if (tid < DIGITS)
        place[tid] = look_back(pass->descriptors + tid, tile, exclusive, aggregate, p) - begin;
    __syncthreads();
    find_places(to, word, ITEMS, cache, place, p);
    store_words(pass->out.keys, word, ITEMS, to, pass->n, p == PASSES - 1 ? pass->order : UNSIGNED);
    if (values)
        move_values(pass->out.values, pass->in.values, ITEMS, first, rank, cache, to, pass->n);
}

__global__ void __launch_bounds__(BLOCK, 3) move_keys(const struct pass pass)
{
    move_tile(&pass, 0);
}

__global__ void __launch_bounds__(BLOCK, 2) move_records(const struct pass pass)
{
    move_tile(&pass, 1);
}

// Sorts in into out. d_tmp: the records of every other pass, then the words of struct pass.
static void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    int tiles = max(1, ceil_div(n, TILE));
    struct columns tmp = {d_tmp, in.values ? d_tmp + n : NULL};
    unsigned *descriptors = d_tmp + n + n, *totals = descriptors + tiles * DIGITS, *tickets = totals + PASSES * DIGITS;
    check_cuda(cudaMemsetAsync(descriptors, 0, (tickets + PASSES - descriptors) * sizeof *descriptors, 0));
    count_all_digits(totals, in.keys, n, order);
    for (int p = 0; p < PASSES; p++) {
        struct pass pass = {p % 2 ? out : tmp, in, descriptors, totals, tickets, n, p, order};
        (in.values ? move_records : move_keys)<<<tiles, BLOCK>>>(pass);
        check_cuda(cudaGetLastError());
        in = pass.out;
    }
}

int main(int argc, char **argv)
{
    return sort_records_main(argc, argv, sort);
}
