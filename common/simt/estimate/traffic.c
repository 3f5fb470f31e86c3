// Follows each access from the L1 cache through the L2 cache to DRAM, and adds its sectors to the totals of each.
#include "estimate/traffic.h"

#include "base/alloc.h"
#include "estimate/cache.h"
#include "exec/launch.h"

#define CONSTANT_LINE 64
#define CONSTANT_BYTES (64u << 10)

static struct {
    struct cache *l2, **l1, **constant; // all but the first, by multiprocessor
    uint32_t l1_count;
    uint8_t seen[CONSTANT_BYTES / CONSTANT_LINE / 8]; // lines that the launch has read, a bit each
    uint32_t lines;                                   // how many
    double share;                                     // bytes of the constant cache for each warp
    double l1_bytes;                                  // of the L1 cache for each block
} caches;

// Each block has its share of the L1 cache; the next block on the multiprocessor finds what the previous one left
// there.
static void open_l1(const struct launch *l, const struct gpu *gpu, uint32_t held)
{
    uint64_t most = (l->block_count + caches.l1_count - 1) / caches.l1_count;
    held = held > most ? (uint32_t)most : held;
    double left = gpu->l1_bytes - (double)held * (shared_size(l) + RESERVED_SHARED);
    left = left < 16384 ? 16384 : left;
    caches.l1_bytes = left / held;
    for (uint32_t i = 0; i < caches.l1_count; i++) {
        cache_close(caches.l1[i]);
        caches.l1[i] = i < l->block_count ? cache_open(caches.l1_bytes, 0) : NULL;
    }
}

static void open_constants(const struct launch *l, const struct gpu *gpu, uint32_t held)
{
    uint64_t warps = (l->block_count + caches.l1_count - 1) / caches.l1_count * l->warps_per_block;
    uint64_t at_once = (uint64_t)held * l->warps_per_block;
    for (uint32_t i = 0; i < caches.l1_count; i++) {
        cache_close(caches.constant[i]);
        caches.constant[i] = NULL;
    }
    memset(caches.seen, 0, sizeof caches.seen);
    caches.lines = 0;
    caches.share = gpu->constant_bytes / (double)(warps < at_once ? warps : at_once);
}

void traffic_open(const struct launch *l, const struct gpu *gpu, uint32_t held)
{
    if (!caches.l2) {
        caches.l2 = cache_open(gpu->l2_bytes, gpu->l2_written_share);
        caches.l1_count = (uint32_t)gpu->multiprocessors;
        caches.l1 = alloc_zeroed(caches.l1_count, sizeof *caches.l1);
        caches.constant = alloc_zeroed(caches.l1_count, sizeof *caches.constant);
    }
    open_l1(l, gpu, held);
    open_constants(l, gpu, held);
}

void traffic_cold(void)
{
    if (caches.l2)
        cache_clear(caches.l2);
}

static struct cache *l1_of(const struct block *b)
{
    return caches.l1[time_of(b)->slot % caches.l1_count];
}

// Device memory transfers 64 bytes at a time: a sector comes with its neighbour.
static uint32_t with_neighbours(uint32_t sectors)
{
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

// Counts the sectors that come from device memory, with their neighbours; evicted dirty sectors are written back.
static uint32_t fetch(struct running *r, uint64_t line, uint32_t sectors)
{
    double evicted, none;
    uint32_t missing = cache_touch(caches.l2, line, sectors, false, &evicted);
    if (missing)
        missing |= cache_touch(caches.l2, line, with_neighbours(missing), false, &none);
    r->totals.written += evicted * SECTOR_BYTES;
    r->totals.read += __builtin_popcount(missing) * SECTOR_BYTES;
    return missing;
}

// Sends sectors of a line through the L2 cache; returns the latency.
static double reach_l2(struct running *r, uint64_t line, uint32_t sectors, bool write)
{
    double evicted;
    r->totals.l2_sectors += write ? 0 : __builtin_popcount(sectors);
    if (!write)
        return fetch(r, line, sectors) ? r->gpu->dram_latency : r->gpu->l2_latency;
    cache_touch(caches.l2, line, sectors, true, &evicted);
    r->totals.written += evicted * SECTOR_BYTES;
    return r->gpu->l2_latency;
}

static double load_line(struct running *r, struct block *b, uint64_t line, uint32_t sectors, bool bypasses_l1)
{
    double evicted, there;
    struct cache *l1 = l1_of(b);
    if (bypasses_l1 || !l1)
        return reach_l2(r, line, sectors, false);
    sectors = cache_touch(l1, line, sectors, false, &evicted);
    if (!sectors)
        return r->gpu->l1_latency;
    sectors = recent_missing(&time_of(b)->recent, line, sectors, r->issued_at, &there);
    if (!sectors)
        return later(r->gpu->l1_latency, there - r->issued_at);
    double latency = reach_l2(r, line, sectors, false);
    recent_add(&time_of(b)->recent, line, sectors, r->issued_at, r->issued_at + latency);
    return latency;
}

void traffic_block(struct block_time *b)
{
    recent_open(&b->recent, b->now, caches.l1_bytes);
}

static bool is_cached(const struct access *a, const struct cost *c)
{
    return a->kind == LOAD && !(a->in->order & (ORDER_VOLATILE | ORDER_STRONG)) && !c->bypasses_l1;
}

#define WORD_BYTES 4
#define MAX_LINES (8 * LANES) // accesses of up to 32 bytes a lane in local memory

static uint32_t words_between(uint64_t low, uint64_t high)
{
    uint32_t first = (uint32_t)(low % LINE_BYTES / WORD_BYTES);
    uint32_t last = (uint32_t)((high - 1) % LINE_BYTES / WORD_BYTES);
    return (uint32_t)((2ull << last) - (1ull << first));
}

// The sectors of a line that contain at least one of these words, or only such words.
static uint32_t sectors_of(uint32_t words, bool whole)
{
    const uint32_t all = (1u << SECTOR_BYTES / WORD_BYTES) - 1;
    uint32_t sectors = 0;
    for (uint32_t s = 0; s < LINE_BYTES / SECTOR_BYTES; s++, words >>= SECTOR_BYTES / WORD_BYTES)
        sectors |= (uint32_t)(whole ? (words & all) == all : (words & all) != 0) << s;
    return sectors;
}

static uint32_t words_of(uint32_t sectors)
{
    uint32_t words = 0;
    for (uint32_t s = 0; s < LINE_BYTES / SECTOR_BYTES; s++)
        words |= (sectors >> s & 1) * 0xffu << s * SECTOR_BYTES / WORD_BYTES;
    return words;
}

// The lines that lanes touch, and which of their words.
struct touched_lines {
    uint64_t line[MAX_LINES];
    uint32_t words[MAX_LINES], count;
    uint64_t highest;
};

static void add_line(struct touched_lines *t, uint64_t line, uint32_t words)
{
    uint32_t i = !t->count || line > t->highest ? 0 : t->count;
    while (i > 0 && t->line[i - 1] != line)
        i--;
    t->highest = line > t->highest ? line : t->highest;
    if (!i) {
        t->line[i = t->count++] = line;
        t->words[i] = 0;
        i++;
    }
    t->words[i - 1] |= words;
}

static void add_range(struct touched_lines *t, uint64_t low, uint64_t high)
{
    for (uint64_t at = low, end; at < high; at = end) {
        end = (at / LINE_BYTES + 1) * LINE_BYTES;
        end = end < high ? end : high;
        add_line(t, at / LINE_BYTES, words_between(at, end));
    }
}

// No warp waits for a store, but a store takes time: one clock to leave the multiprocessor, two for each partly written
// sector; and time in the L2 cache, in parallel with loads. Returns the latency.
static double store_line(struct running *r, uint64_t line, uint32_t words)
{
    const struct gpu *g = r->gpu;
    uint32_t sectors = sectors_of(words, false);
    double whole = __builtin_popcount(sectors_of(words, true)), parts = __builtin_popcount(sectors) - whole;
    r->passes += (whole > 0) + parts * g->store_part_clocks;
    r->totals.l2_stores_ps += g->store_line_ps + whole * g->store_sector_ps + parts * g->store_part_ps;
    return reach_l2(r, line, sectors, true);
}

static void touch_line(struct running *r, struct warp *w, const struct access *a, uint64_t line, uint32_t words,
                       bool bypasses_l1)
{
    uint32_t sectors = sectors_of(words, false);
    double latency = a->kind == STORE  ? store_line(r, line, words)
                     : a->kind == LOAD ? load_line(r, w->block, line, sectors, bypasses_l1)
                                       : reach_l2(r, line, sectors, false);
    r->latency = later(r->latency, latency);
    r->passes += a->kind != STORE;
}

// Prefetches the state of many lines, which is scattered in the host's memory.
static void expect_lines(const struct block *b, const struct touched_lines *t, bool bypasses_l1)
{
    const struct cache *l1 = bypasses_l1 ? NULL : l1_of(b);
    for (uint32_t i = 0; t->count > 4 && i < t->count; i++) {
        if (l1)
            cache_expect(l1, t->line[i]);
        cache_expect(caches.l2, t->line[i]);
    }
}

void traffic_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c)
{
    struct touched_lines t;
    t.count = 0;
    t.highest = 0;
    if (a->contiguous)
        add_range(&t, a->low, a->high);
    else
        FOR_LANES(l, a->mask)
    add_range(&t, a->addr[l], a->addr[l] + a->size);
    bool bypasses_l1 = !is_cached(a, c);
    expect_lines(w->block, &t, bypasses_l1);
    for (uint32_t i = 0; i < t.count; i++)
        touch_line(r, w, a, t.line[i], t.words[i], bypasses_l1);
}

// ---- local memory

// Word i of all 32 lanes is contiguous in local memory: a line of 128 bytes.
static uint64_t local_line(const struct warp *w, uint64_t address)
{
    uint64_t words = w->block->launch->local_stride / WORD_BYTES + 1;
    uint64_t warp = (uint64_t)time_of(w->block)->slot * MAX_WARPS + w->index;
    return (UINT64_C(1) << 40) + warp * words + address / WORD_BYTES % words;
}

// The L1 cache keeps whole written sectors. Parts go to the L2 cache, and the L1 cache drops the sector.
static double store_local(struct running *r, struct cache *l1, uint64_t line, uint32_t words)
{
    double evicted;
    uint32_t whole = sectors_of(words, true), parts = sectors_of(words, false) & ~whole;
    if (whole && l1) {
        cache_touch(l1, line, whole, true, &evicted);
        r->totals.l2_stores_ps += evicted * r->gpu->store_sector_ps;
        cache_touch(caches.l2, line, whole, true, &evicted); // if it is ever evicted
    }
    if (!parts)
        return r->gpu->l1_latency;
    if (l1)
        cache_drop(l1, line, parts);
    return store_line(r, line, words & ~words_of(whole));
}

// Adds each lane's words: lanes with different word numbers take separate passes.
void local_add(struct running *r, const struct warp *w, const struct access *a)
{
    struct touched_lines t;
    struct cache *l1 = l1_of(w->block);
    t.count = 0;
    t.highest = 0;
    FOR_LANES(l, a->mask)
    for (uint32_t at = 0; at < a->size; at += WORD_BYTES)
        add_line(&t, local_line(w, a->addr[l] + at), 1u << l);
    for (uint32_t i = 0; i < t.count; i++) {
        double latency = a->kind == LOAD ? load_line(r, w->block, t.line[i], sectors_of(t.words[i], false), false)
                                         : store_local(r, l1, t.line[i], t.words[i]);
        r->latency = later(r->latency, latency);
        r->passes++;
    }
}

// ---- constant memory

static void note_line(uint64_t line)
{
    uint32_t at = line % (CONSTANT_BYTES / CONSTANT_LINE);
    caches.lines += !(caches.seen[at / 8] >> at % 8 & 1);
    caches.seen[at / 8] |= (uint8_t)(1u << at % 8);
}

// Looks up the lines of 64 bytes that a request touches. Returns how many missed its cache. Warps run one after another
// here, but concurrently on a GPU, each at its own position. So if the launch's data do not fit and a warp's share is
// less than a line, the line has been evicted when the warp returns.
static uint32_t miss_constant(struct cache *c, const struct gpu *gpu, uint64_t low, uint64_t high)
{
    uint32_t misses = 0;
    double evicted;
    for (uint64_t at = low / CONSTANT_LINE; at <= (high - 1) / CONSTANT_LINE; at++) {
        uint32_t half = at % 2 ? 0xc : 0x3; // of a line of the other caches
        note_line(at);
        bool lost = caches.lines * CONSTANT_LINE > gpu->constant_bytes && caches.share < CONSTANT_LINE;
        misses += cache_touch(c, at / 2, half, false, &evicted) != 0 || lost;
    }
    return misses;
}

// A word is broadcast to all lanes that read it; lanes with other words are served afterwards.
void constant_add(struct running *r, struct warp *w, const struct access *a)
{
    uint32_t slot = time_of(w->block)->slot % caches.l1_count, requests = 0, misses = 0;
    struct cache **cache = &caches.constant[slot];
    if (!*cache)
        *cache = cache_open(r->gpu->constant_bytes, 0);
    for (uint32_t left = a->mask, same; left; left &= ~same) {
        uint64_t address = a->addr[__builtin_ctz(left)];
        same = 0;
        FOR_LANES(l, left)
        same |= (uint32_t)(a->addr[l] == address) << l;
        misses += miss_constant(*cache, r->gpu, address, address + a->size);
        requests++;
    }
    double clocks = requests * r->gpu->constant_clocks + misses * r->gpu->constant_miss_clocks;
    r->totals.unit[UNIT_CONSTANT] += clocks;
    time_of(w->block)->phase.unit[UNIT_CONSTANT] += clocks;
    double missed = misses ? r->gpu->constant_miss_latency : 0;
    r->latency = later(r->latency, r->gpu->constant_latency + missed + clocks - r->gpu->constant_clocks);
}
