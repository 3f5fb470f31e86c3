// Blocks communicate through flags: a poll sees a store once the store has reached the L2 cache. Atomics on a line
// serialize.
#include "estimate/flags.h"

#include <string.h>

#include "estimate/cache.h"
#include "estimate/word_table.h"
#include "exec/warp.h"

enum { STAMPS = 1 << 14, MAX_SLICES = 512 };
#define SLICE_BYTES 256 // contiguous bytes in one slice of the L2 cache

static struct {
    struct word_table words;             // state of the launch
    double slices[MAX_SLICES];     // passes of atomics through each slice of the L2 cache
    uint64_t stamps[STAMPS], stamp; // when words were last written, by a hash of their addresses
} flags;

static uint32_t stamp_of(uint64_t address)
{
    return (uint32_t)((address >> 2) * UINT32_C(0x9e3779b1)) >> 18;
}

// Remembers which words the block polls, until they are written.
static void note_polls(struct block_time *b, const struct access *a)
{
    b->polled_count = 0;
    FOR_LANES(l, a->mask)
    b->polled_stamps[b->polled_count++] = stamp_of(a->addr[l]);
    b->polled_stamp = flags.stamp;
}

double flags_ready_time(const struct block *b)
{
    const struct block_time *t = time_of(b);
    for (uint32_t i = 0; t->waits && i < t->polled_count; i++)
        if (flags.stamps[t->polled_stamps[i]] > t->polled_stamp)
            return t->now;
    return t->waits ? 1e300 : t->now;
}

// The lanes whose addresses lie in the same aligned piece of `bytes` bytes as the first lane's.
static uint32_t lanes_in_piece(const struct access *a, uint32_t lanes, uint64_t bytes)
{
    uint64_t piece = a->addr[__builtin_ctz(lanes)] / bytes;
    uint32_t near = 0;
    FOR_LANES(l, lanes)
    near |= (uint32_t)(a->addr[l] / bytes == piece) << l;
    return near;
}

// The maximum number of these lanes that access one word.
static double max_on_one_word(const struct access *a, uint32_t lanes)
{
    int most = 0;
    for (uint32_t left = lanes, same; left; left &= ~same) {
        same = lanes_in_piece(a, left, a->size);
        most = __builtin_popcount(same) > most ? __builtin_popcount(same) : most;
    }
    return most;
}

// The passes of an atomic through a slice of the L2 cache: sector after sector, in each as many as lanes access one
// word. Passes on one word wait for each other; if they take longer than a pass, those of other sectors fill the gaps.
static double passes_through(const struct gpu *g, const struct access *a, uint32_t lanes, const struct cost *c)
{
    double passes = 0, most = 0;
    if (c->joins)
        return 1;
    for (uint32_t left = lanes, sector; left; left &= ~sector) {
        sector = lanes_in_piece(a, left, SECTOR_BYTES);
        double same = max_on_one_word(a, sector);
        passes += same;
        most = later(most, same);
    }
    return c->sums_floats ? later(passes, most * g->atomics_on_word_per_ns / g->float_atomics_on_word_per_ns) : passes;
}

// Consecutive pieces alternate between two slices; the next 1024 bytes use two others.
static uint64_t slice_of(uint64_t address)
{
    uint64_t piece = address / SLICE_BYTES;
    return piece / 4 * 2 + piece % 2;
}

// Adds an atomic to the slices that it passes. Returns the maximum of its passes through one slice.
static double count_atomics(struct running *r, const struct access *a, const struct cost *c)
{
    const struct gpu *g = r->gpu;
    uint32_t slices = (uint32_t)(g->atomics_by_chance_per_ns / g->atomics_on_word_per_ns);
    double most = 0;
    slices = slices < 1 ? 1 : slices > MAX_SLICES ? MAX_SLICES : slices;
    r->totals.atomics += __builtin_popcount(a->mask);
    for (uint32_t left = a->mask, near; left; left &= ~near) {
        near = lanes_in_piece(a, left, SLICE_BYTES);
        double passes = passes_through(g, a, near, c);
        double *slice = &flags.slices[slice_of(a->addr[__builtin_ctz(near)]) % slices];
        *slice += passes;
        r->totals.atomic_passes += passes;
        r->totals.atomics_on_slice = later(r->totals.atomics_on_slice, *slice);
        most = later(most, passes);
    }
    return most;
}

// When the word received the value that this load returns. Blocks run in the order of their clocks only until they
// wait, so the newest value may come from the future. A load that has not waited for it returns an older one.
static double when_published(const struct running *r, const struct word *word, bool waited)
{
    bool older = !waited && word->published > r->issued_at && word->before > 0;
    return older ? word->before : word->published;
}

// A strong load sees a word half a trip after it was published; its previous poll failed half a trip before.
static void see_published(struct running *r, const struct access *a, bool waited)
{
    double trip = r->gpu->l2_latency, seen = r->issued_at + trip;
    FOR_LANES(l, a->mask)
    seen = later(seen, when_published(r, word_table_at(&flags.words, a->addr[l]), waited) + trip);
    r->latency = later(r->latency, seen - r->issued_at);
}

static void publish(const struct access *a, double time)
{
    FOR_LANES(l, a->mask)
    {
        struct word *word = word_table_at(&flags.words, a->addr[l]);
        word->before = a->kind == ATOMIC ? 0 : word->published;
        word->published = later(word->published, time);
        flags.stamps[stamp_of(a->addr[l])] = ++flags.stamp;
    }
}

// An atomic waits for earlier ones only if it may publish data: after a fence, or as a compare-and-swap.
static void order_atomic(struct running *r, const struct warp *w, const struct access *a, const struct cost *c)
{
    double half = r->gpu->l2_latency / 2, there = r->issued_at + half;
    double same = count_atomics(r, a, c), clocks_each = r->gpu->clock_ghz / r->gpu->atomics_on_word_per_ns;
    if (time_of(w->block)->fenced || c->acquires || (a->in->spins && c->asks))
        FOR_LANES(l, a->mask)
    there = later(there, word_table_at(&flags.words, a->addr[l])->published);
    publish(a, there);
    double latency = there + half + (same - 1) * clocks_each - r->issued_at;
    r->latency = later(r->latency, latency);
}

void flags_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c)
{
    struct block_time *b = time_of(w->block);
    bool strong = a->in->order & (ORDER_VOLATILE | ORDER_STRONG);
    if (a->kind == ATOMIC)
        order_atomic(r, w, a, c);
    else if (strong && a->kind == LOAD && a->in->spins) {
        note_polls(b, a);
        see_published(r, a, b->waits);
    } else if (strong && a->kind != LOAD)
        publish(a, r->issued_at + r->gpu->l2_latency / 2);
}

void flags_forget_failed_poll(const struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c)
{
    uint64_t address = 0;
    if (!in->spins || !c->asks)
        return;
    if (in->a != NONE && !(in->order & ADDRESS_32))
        address = ((const uint64_t *)row(w, in->a))[__builtin_ctz(w->mask)];
    bool again = t->poll == in && t->polled == address;
    if (again)
        t->now = t->entered = t->poll_began;
    time_of(w->block)->waits = again;
    t->poll = in;
    t->polled = address;
    t->poll_began = t->now;
}

void flags_over(void)
{
    word_table_clear(&flags.words);
    memset(flags.slices, 0, sizeof flags.slices);
}
