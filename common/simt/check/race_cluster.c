// Races between the blocks of a cluster. Their shared memory lies in the arena, so it has the records of global memory
// (race_global.c), which distinguish blocks. This file adds the order that barrier.cluster gives, and the rule that a
// block must exist while others use its memory.
//
// Every warp notes the time of its last arrival that releases. When a phase is complete, each block learns those times
// of all warps of the cluster; a lane that has not waited for the phase knows only what the previous phase gave. A
// block remembers every other warp's last access to its memory: when it exits, all of them must be ordered before the
// exit.
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"

void race_cluster_start(struct block *b)
{
    struct block_race *r = race_of(b);
    uint64_t base = (uint64_t)(uintptr_t)b->shared, bytes = 4 * ((uint64_t)shared_size(b->launch) + 64);
    if (!r->cluster)
        r->cluster = alloc_zeroed(1, sizeof *r->cluster);
    memset(r->cluster, 0, sizeof *r->cluster);
    memset(memory_write_records(base), 0, bytes);
    memset(memory_read_records(base), 0, bytes);
    memset(memory_earlier_reads(base), 0, bytes);
}

void race_cluster_free(struct block_race *r)
{
    free(r->cluster);
    for (uint32_t i = 0; i < CLUSTER_READERS; i++)
        free(r->cluster_readers[i]);
}

// ---- the barrier

static void raise(uint32_t *time, uint32_t to)
{
    *time = to > *time ? to : *time;
}

// A relaxed arrival releases what the lanes have fenced: their own accesses, and what their block had synchronized with
// before. After fence.mbarrier_init these are only their own mbarrier.init.
static void arrive_relaxed(struct warp *w, struct arrivals *a)
{
    const struct lane_order *lanes = race_of(w->block)->lanes;
    FOR_LANES(l, lanes ? w->mask : 0)
    {
        const struct lane_order *lane = &lanes[w->index * LANES + l];
        raise(&a->data[w->index], lane->wide_clock);
        raise(&a->init[w->index], lane->init_clock);
        a->init_lanes[w->index] |= lane->init_clock ? 1u << l : 0;
        for (uint32_t i = 0; i < w->block->warp_count && lane->wide_floor; i++)
            raise(&a->data[i], lane->wide_floor - 1);
    }
}

void race_cluster_arrive(struct warp *w, bool release)
{
    struct cluster_race *c = race_of(w->block)->cluster;
    c->arrived.last[w->index] = clock_of(w)->now;
    c->relaxed |= !release;
    if (release)
        c->arrived.data[w->index] = clock_of(w)->now;
    else
        arrive_relaxed(w, &c->arrived);
    clock_of(w)->now++;
}

// What the block releases by its arrivals: everything or, if some were relaxed, what each warp has fenced.
static uint32_t releases_by(struct block *b, const struct release *nodes[MAX_WARPS])
{
    const struct block_race *r = race_of(b);
    const uint32_t *times = r->cluster->arrived.data;
    struct release all = {.by = {b->number, 0, 0, r->floor - 1}, .floor = r->floor, .lane_floor = r->floor};
    if (!r->cluster->relaxed)
        nodes[0] = order_block_release(b, all);
    for (uint32_t i = 0; r->cluster->relaxed && i < b->warp_count; i++)
        nodes[i] =
            order_block_release(b, (struct release){.by = {b->number, i, 0, times[i]}, .lane_floor = times[i] + 1});
    return r->cluster->relaxed ? b->warp_count : 1;
}

// The blocks learn what the others know and release.
static void exchange(const struct cluster *c)
{
    const struct release *nodes[MAX_CLUSTER][MAX_WARPS];
    uint32_t count[MAX_CLUSTER];
    for (uint32_t i = 0; i < c->size; i++)
        count[i] = releases_by(c->blocks[i], nodes[i]);
    for (uint32_t i = 0; i < c->size; i++)
        for (uint32_t k = 0; k < c->size; k++)
            for (uint32_t n = 0; n < count[k] && k != i; n++)
                order_block_learn(c->blocks[i], nodes[k][n]);
}

void race_cluster_complete(const struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->size; i++) {
        struct block *b = cluster->blocks[i];
        struct cluster_race *c = race_of(b)->cluster;
        memcpy(c->before, c->now, sizeof c->now);
        for (uint32_t k = 0; k < cluster->size; k++)
            c->now[k] = race_of(cluster->blocks[k])->cluster->arrived;
        for (uint32_t k = 0; k < b->warp_count; k++)
            c->lag[k] = b->live >> k & 1 ? b->warps[k].cluster_open : 0;
        c->waited = false;
        c->floor = race_of(b)->floor;
        race_learns(b);
    }
    if (cluster->blocks[0]->launch->follow_orders)
        exchange(cluster);
}

void race_cluster_wait(struct warp *w, uint32_t lanes)
{
    struct cluster_race *c = race_of(w->block)->cluster;
    c->lag[w->index] &= ~lanes;
    c->waited = true;
    race_learns(w->block);
}

void race_cluster_sync(struct block *b, uint32_t warps)
{
    struct cluster_race *c = race_of(b)->cluster;
    bool any = false;
    FOR_LANES(i, warps)
    any |= (b->warps[i].alive & ~c->lag[i]) != 0;
    FOR_LANES(i, any ? warps : 0)
    c->lag[i] = 0;
}

// ---- queries

static uint32_t rank_of(const struct cluster *c, uint64_t block)
{
    uint32_t rank = 0;
    while (rank < c->size && (uint32_t)c->blocks[rank]->number != (uint32_t)block)
        rank++;
    return rank;
}

struct block *race_cluster_block(const struct warp *w, uint64_t block)
{
    const struct cluster *c = w->block->cluster;
    uint32_t rank = rank_of(c, block);
    return rank < c->size ? c->blocks[rank] : NULL;
}

// The arrivals of that block that the lane knows; NULL: it is not in the cluster.
static const struct arrivals *arrivals_of(const struct warp *w, uint32_t l, uint64_t block)
{
    const struct cluster_race *c = race_of(w->block)->cluster;
    uint32_t rank = rank_of(w->block->cluster, block);
    if (rank == w->block->cluster->size)
        return NULL;
    return &(c->lag[w->index] >> l & 1 ? c->before : c->now)[rank];
}

bool race_cluster_knows(const struct warp *w, uint32_t l, const struct moment *past)
{
    const struct arrivals *a = arrivals_of(w, l, past->block);
    return a && past->clock <= a->data[past->warp];
}

bool race_cluster_knows_init(const struct warp *w, uint32_t l, const struct moment *past)
{
    const struct arrivals *a = arrivals_of(w, l, past->block);
    return a && past->clock <= a->init[past->warp] && a->init_lanes[past->warp] >> past->lane & 1;
}

bool race_cluster_met_relaxed(const struct warp *w, uint32_t l, const struct moment *past)
{
    const struct arrivals *a = arrivals_of(w, l, past->block);
    return a && past->clock <= a->last[past->warp] && race_of(race_cluster_block(w, past->block))->cluster->relaxed;
}

static uint64_t word_in(const struct block *b, uint64_t address)
{
    return (address - (uint64_t)(uintptr_t)b->shared) / 4;
}

void race_cluster_read(struct warp *w, const struct access *a, uint64_t address, const struct record *own)
{
    const struct block *b = accessed_block(w, a);
    struct record **reads = &race_of(b)->cluster_readers[w->index % CLUSTER_READERS];
    if (!*reads)
        *reads = alloc_zeroed(shared_size(b->launch) / 4 + 64, sizeof **reads);
    (*reads)[word_in(b, address)] = *own;
}

struct record *race_cluster_reader(const struct warp *w, const struct access *a, uint64_t address, uint32_t i)
{
    const struct block *b = accessed_block(w, a);
    struct record *reads = race_of(b)->cluster_readers[i], *r = reads ? reads + word_in(b, address) : NULL;
    return r && rank_of(w->block->cluster, r->block) < w->block->cluster->size ? r : NULL;
}

// ---- accesses to another block's shared memory

// Whether the lane knows that the block has started: it has waited for a phase, or acquired something from that block.
static bool knows_start(struct warp *w, uint32_t l, const struct block *of)
{
    const struct cluster *c = w->block->cluster;
    bool behind = race_of(w->block)->cluster->lag[w->index] >> l & 1;
    const struct moment before = {of->number, 0, 0, race_of(of)->started - 1};
    return c->phases > 1 || (c->phases == 1 && !behind) ||
           (w->block->launch->follow_orders && order_knows(w, l, &before));
}

static void report_early(struct warp *w, const struct access *a, uint32_t l)
{
    struct block *b = w->block;
    struct scene s = scene_of_access(w, a, l);
    report_scene(b, &s, FINDING_MEMORY, ERROR, a->in->id, NONE - 4,
                 "Invalid __shared__ %s of size %u at %s by %s: %s of the cluster may not have started: "
                 "no cluster barrier before it",
                 access_word(a->kind), a->size, origin_place(b->launch->module, a->in->id),
                 thread_name(b, w->index * LANES + l), block_name(b->launch, a->peer->number));
}

void race_cluster_visit(struct warp *w, const struct access *a)
{
    struct visit *v = &race_of(a->peer)->cluster->visits[w->block->rank][w->index];
    uint32_t last = 31 - (uint32_t)__builtin_clz(a->mask), unknown = 0;
    FOR_LANES(l, a->mask)
    unknown |= (uint32_t)!knows_start(w, l, a->peer) << l;
    if (unknown && !w->block->launch->partial)
        report_early(w, a, (uint32_t)__builtin_ctz(unknown));
    *v = (struct visit){clock_of(w)->now, last, a->in->id, a->size, a->kind};
}

static bool knows_visit(struct block *b, const struct moment *past, uint32_t rank)
{
    const struct cluster_race *c = race_of(b)->cluster;
    if (past->clock <= (c->waited ? c->now : c->before)[rank].last[past->warp]) // execution, whatever the memory order
        return true;
    return b->launch->follow_orders && order_block_knows(b, past);
}

static void report_late(struct block *visitor, const struct block *b, const struct visit *v, uint32_t warp)
{
    const struct scene s = {.past.thread = NO_THREAD,
                            .now = {visitor->number, warp * LANES + v->lane, access_word(v->kind)}};
    report_scene(visitor, &s, FINDING_MEMORY, ERROR, v->id, NONE - 5,
                 "Invalid __shared__ %s of size %u at %s by %s: %s of the cluster may have exited: "
                 "no cluster barrier after it",
                 access_word(v->kind), v->size, origin_place(b->launch->module, v->id),
                 thread_name(b, warp * LANES + v->lane), block_name(b->launch, b->number));
}

void race_cluster_end(struct block *b)
{
    const struct cluster *c = b->cluster;
    for (uint32_t rank = 0; rank < c->size && !b->launch->partial; rank++)
        for (uint32_t i = 0; i < b->warp_count; i++) {
            const struct visit *v = &race_of(b)->cluster->visits[rank][i];
            const struct moment past = {c->blocks[rank]->number, i, v->lane, v->clock};
            if (v->clock && !knows_visit(b, &past, rank))
                report_late(c->blocks[rank], b, v, i);
        }
}
