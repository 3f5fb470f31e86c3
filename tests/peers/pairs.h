// pairs.h: step 07 of chapter 04-sort with a larger tile, for keys with values, compared with the step in
// the peer's table.
//
// The step's tile has 7680 pairs: on average 30 of a digit, 120 bytes. Such a run fills its first and last sector only
// in part, and keys and values both pay for that. Here a tile has 16384 pairs, runs have 256 bytes, and a
// multiprocessor has one block. The cache no longer fits in 48 KB of shared memory, so the launch requests its size.
// All else is the step's. Include it after the step.
namespace pairs
{
enum { THREADS = 512, EACH = 32, PAIRS = THREADS * EACH }; // EACH: pairs of a thread

struct tile {
    unsigned cache[PAIRS], counts[THREADS / 32][DIGITS], place[DIGITS];
};

// As rank_words of the step, for EACH words.
static __device__ void rank_each(unsigned *cache, int *rank, unsigned *next, const unsigned *word, int pass)
{
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        unsigned d = digit(word[k], pass), peers = 0xffffffff;
#pragma unroll
        for (int bit = 1; bit < DIGITS; bit *= 2)
            peers &= agreeing(d, bit);
        rank[k] = rank_word(next, d, peers);
        cache[rank[k]] = word[k];
    }
}

// As move_tile of the step.
static __global__ void __launch_bounds__(THREADS, 1) move_pairs(const struct pass pass)
{
    extern __shared__ struct tile pairs_of_tile[];
    struct tile *t = pairs_of_tile;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, p = pass.number, rank[EACH];
    unsigned word[EACH], to[EACH], aggregate;
    int tile = take_ticket(&pass.tickets[p]), first = tile * PAIRS + warp * 32 * EACH + lane;
    load_words(word, EACH, pass.in.keys, first, 32, pass.n, p == 0 ? pass.order : UNSIGNED);
    prefetch(pass.in.values, EACH, first, pass.n);
    count_words(t->counts[warp], word, EACH, p);
    unsigned begin = first_ranks(t->counts, &aggregate);
    unsigned exclusive = tile == 0 ? first_place(pass.totals + p * DIGITS) : 0;
    if (tid < DIGITS)
        publish(&pass.descriptors[tile * DIGITS + tid], p, tile == 0 ? PREFIX : AGGREGATE, exclusive + aggregate);
    rank_each(t->cache, rank, t->counts[warp], word, p);
    if (tid < DIGITS)
        t->place[tid] = look_back(pass.descriptors + tid, tile, exclusive, aggregate, p) - begin;
    __syncthreads();
    find_places(to, word, EACH, t->cache, t->place, p);
    store_words(pass.out.keys, word, EACH, to, pass.n, p == PASSES - 1 ? pass.order : UNSIGNED);
    move_values(pass.out.values, pass.in.values, EACH, first, rank, t->cache, to, pass.n);
}

// As sort of the step. in has values.
static void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    int tiles = max(1, ceil_div(n, PAIRS)), bytes = sizeof(struct tile);
    struct columns tmp = {d_tmp, d_tmp + n};
    unsigned *descriptors = d_tmp + n + n, *totals = descriptors + tiles * DIGITS, *tickets = totals + PASSES * DIGITS;
    check_cuda(cudaFuncSetAttribute(move_pairs, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    check_cuda(cudaMemsetAsync(descriptors, 0, (tickets + PASSES - descriptors) * sizeof *descriptors, 0));
    count_all_digits(totals, in.keys, n, order);
    for (int p = 0; p < PASSES; p++) {
        struct pass pass = {p % 2 ? out : tmp, in, descriptors, totals, tickets, n, p, order};
        move_pairs<<<tiles, THREADS, bytes>>>(pass);
        check_cuda(cudaGetLastError());
        in = pass.out;
    }
}
} // namespace pairs
