// The race check's observer. Barriers, fences and the ends of blocks move the clocks; each access updates the records
// of the memory that it touches.
#include "check/race.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "check/check.h"
#include "exec/nested.h"
#include "exec/sample.h"

#define BASE_LIMIT 0xfff000u // of times in shared records, which have 24 bits

// ---- clocks

static void block_start(struct block *b)
{
    struct block_race *r = race_of(b);
    struct race_worker *k = worker_state(b->worker, &race_state);
    uint32_t now = ++k->clock;
    r->floor = r->started = now;
    r->soft_floor = 0;
    r->soft_known = NULL;
    r->known = r->floor_known = r->before_barrier = NULL;
    r->from_barrier = false;
    order_forget(r);
    race_learns(b);
    memset(r->shared_words, 0, sizeof r->shared_words);
    race_product_start(b);
    race_proxy_start(b);
    free(r->maps);
    r->maps = NULL;
    r->pending = false;
    for (uint32_t i = 0; i < b->warp_count; i++)
        *clock_of(&b->warps[i]) = (struct warp_clock){.now = now, .lane_floor = now};
    if (b->launch->follow_orders && !r->lanes)
        r->lanes = alloc_resize(NULL, b->warp_count * LANES, sizeof *r->lanes);
    if (r->lanes)
        memset(r->lanes, 0, b->warp_count * LANES * sizeof *r->lanes);
    if (b->launch->strong && !r->observed)
        r->observed = alloc_zeroed(b->warp_count * LANES, sizeof *r->observed);
    if (b->launch->weak)
        weak_block_start(b);
    if (b->launch->clustered)
        race_cluster_start(b);
    else
        race_shared_start(b);
}

static void block_free(struct block *b)
{
    struct block_race *r = race_of(b);
    for (int i = 0; i < MAX_WARPS; i++) {
        free(r->lane_storage[i]);
        free(r->warp_storage[i]);
    }
    order_forget(r);
    race_cluster_free(r);
    free(r->lanes);
    free(r->locks);
    free(r->observed);
    free(r->waits);
    free(r->proxy);
    free(r->maps);
    weak_block_free(r);
    free_cached(r->writes, r->records * sizeof *r->writes);
    free_cached(r->reads, r->records * sizeof *r->reads);
    free_cached(r->others, r->records * sizeof *r->others);
}

static uint32_t newest(const struct block *b)
{
    uint32_t now = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        now = clock_of(&b->warps[i])->now > now ? clock_of(&b->warps[i])->now : now;
    return now;
}

static void block_end(struct block *b)
{
    if (race_of(b)->cluster)
        race_cluster_end(b);
    uint32_t now = newest(b);
    struct race_worker *k = worker_state(b->worker, &race_state);
    k->clock = now > k->clock ? now : k->clock;
}

// Lanes of w have synchronized in groups, each with its own mask: each lane learns what its group knows.
static void sync_groups(struct warp *w, uint32_t lanes, const uint32_t *named)
{
    struct block_race *r = race_of(w->block);
    uint32_t *k = r->lane_storage[w->index];
    if (!k)
        k = r->lane_storage[w->index] = alloc_resize(NULL, LANES * LANES, sizeof *k);
    if (!clock_of(w)->lanes)
        for (int i = 0; i < LANES * LANES; i++)
            k[i] = clock_of(w)->lane_floor - 1;
    clock_of(w)->lanes = k;
    for (uint32_t left = lanes; left;) {
        uint32_t mask = named[__builtin_ctz(left)], group = 0, best[LANES] = {0};
        FOR_LANES(l, left)
        group |= (uint32_t)(named[l] == mask) << l;
        for (uint32_t m = 0; m < LANES; m++)
            for (uint32_t l = 0; l < LANES; l++)
                if (group >> l & 1 && k[l * LANES + m] > best[m])
                    best[m] = k[l * LANES + m];
        for (uint32_t m = 0; m < LANES; m++)
            if (group >> m & 1)
                best[m] = clock_of(w)->now;
        FOR_LANES(g, group)
        memcpy(k + g * LANES, best, sizeof best);
        if (r->lanes)
            order_sync_lanes(w, group);
        left &= ~group;
    }
    clock_of(w)->now++;
}

static void warp_sync(struct warp *w, uint32_t lanes, const uint32_t *named)
{
    bool one_group = lanes == w->alive;
    race_learns(w->block);
    struct cluster_race *cluster = race_of(w->block)->cluster;
    if (cluster && lanes & ~cluster->lag[w->index])
        cluster->lag[w->index] &= ~lanes;
    FOR_LANES(l, lanes)
    one_group &= (named[l] & w->alive) == w->alive;
    if (!one_group) {
        sync_groups(w, lanes, named);
        return;
    }
    clock_of(w)->lane_floor = ++clock_of(w)->now;
    clock_of(w)->lanes = NULL;
    order_sync_warp(w);
}

// Some warps have synchronized at a named barrier: each learns what all of them know.
static void sync_warps(struct block *b, uint32_t warps)
{
    struct block_race *r = race_of(b);
    uint32_t best[MAX_WARPS];
    for (uint32_t m = 0; m < MAX_WARPS; m++)
        best[m] = r->floor - 1;
    FOR_LANES(i, warps)
    {
        const uint32_t *k = clock_of(&b->warps[i])->warps;
        for (uint32_t m = 0; k && m < MAX_WARPS; m++)
            best[m] = k[m] > best[m] ? k[m] : best[m];
        best[i] = clock_of(&b->warps[i])->now;
    }
    FOR_LANES(j, warps)
    {
        struct warp_clock *c = clock_of(&b->warps[j]);
        if (!r->warp_storage[j])
            r->warp_storage[j] = alloc_resize(NULL, 1, sizeof best);
        c->warps = r->warp_storage[j];
        memcpy(c->warps, best, sizeof best);
        c->lane_floor = ++c->now;
        c->lanes = NULL;
    }
    order_sync_warps(b, warps);
}

static void block_sync(struct block *b, uint32_t warps)
{
    struct block_race *r = race_of(b);
    uint32_t dirty = 0;
    race_learns(b);
    FOR_LANES(i, warps)
    dirty |= clock_of(&b->warps[i])->dirty;
    if (r->cluster)
        race_cluster_sync(b, warps);
    race_proxy_barrier(b);
    if (b->launch->weak)
        weak_barrier(b, warps);
    if ((warps & b->live) != b->live) {
        sync_warps(b, warps);
        return;
    }
    uint32_t now = newest(b) + 1;
    for (uint32_t j = 0; j < b->warp_count; j++) {
        struct warp_clock *c = clock_of(&b->warps[j]);
        *c = (struct warp_clock){.now = now, .lane_floor = now, .dirty = c->dirty};
    }
    r->floor = now;
    if (r->lanes)
        order_barrier(b, !dirty);
    if (now - r->base > BASE_LIMIT && !r->cluster)
        race_shared_start(b);
}

static void fence(struct warp *w, enum scope scope, enum fence_kind kind)
{
    if (w->block->launch->weak && kind == FENCE_SC)
        weak_fence(w, scope);
    if (race_of(w->block)->lanes)
        order_fence(w, scope, kind);
    clock_of(w)->now++;
    race_learns(w->block);
    if (scope != SCOPE_BLOCK)
        clock_of(w)->dirty &= ~w->mask;
}

// Work that a thread launches may run from now on, concurrently with what the thread does next.
static void device_launch(struct warp *w, uint32_t lane, struct nested *n)
{
    const struct block *b = w->block;
    const struct warp_clock *c = clock_of(w);
    n->given = (struct given){.block = b->number,
                              .thread = w->index * LANES + lane,
                              .clock = c->now,
                              .latest = newest(b),
                              .floor = race_of(b)->floor,
                              .lane_floor = c->lane_floor,
                              .exact = !b->launch->follow_orders && !c->lanes && !c->warps};
    clock_of(w)->now++;
}

// ---- accesses

// Whether the access releases what its lanes did before it. A failed compare-and-swap in a loop does not.
static bool releases(const struct warp *w, const struct access *a)
{
    bool any = false;
    if (a->kind == LOAD || !(a->in->order & ORDER_RELEASE) || !race_of(w->block)->lanes)
        return false;
    FOR_LANES(l, a->mask)
    any |= race_changes(a, l, lane_memory(w, a, l));
    return any;
}

// Handles a strong access: first the value that it returns if memory is weak, then its ordering. A load that returns an
// old value acquires nothing from the new one.
static void strong_access(struct warp *w, const struct access *a, bool locked)
{
    struct access fresh = *a;
    bool weak = w->block->launch->weak && !a->moved;
    if (weak && a->kind == LOAD) {
        weak_load(w, a);
        fresh.mask &= ~weak_stale(w);
    }
    if (locked)
        race_global_access(w, a, true);
    else if (!is_reserved(w->block->launch, a))
        race_shared_access(w, a);
    bool takes_lock = race_of(w->block)->lanes && fresh.mask && order_access(w, &fresh);
    if (weak && a->kind != LOAD)
        weak_write(w, a);
    clock_of(w)->now += takes_lock || releases(w, a);
    race_learns(w->block);
}

// Strong accesses in parts, each under the lock of its addresses, as access_ordered does.
static void strong_parts(struct warp *w, const struct access *a)
{
    for (uint32_t left = a->mask; left;) {
        struct access part = *a;
        uint64_t address = a->addr[__builtin_ctz(left)];
        part.mask = 0;
        part.contiguous = false;
        FOR_LANES(l, left)
        part.mask |= (uint32_t) !((a->addr[l] ^ address) >> LOCK_SPAN) << l;
        left &= ~part.mask;
        lock_address(address);
        strong_access(w, &part, true);
        unlock_address(address);
    }
}

// Shared memory that other blocks may reach lies in the arena, like global memory.
static void cluster_access(struct warp *w, const struct access *a)
{
    uint64_t addr[LANES] __attribute__((aligned(64)));
    uint64_t base = (uint64_t)(uintptr_t)accessed_block(w, a)->shared;
    struct access moved = *a;
    for (uint32_t l = 0; l < LANES; l++)
        addr[l] = base + a->addr[l];
    moved.addr = addr;
    moved.low += base;
    moved.high += base;
    moved.space = PTX_GLOBAL;
    moved.moved = true;
    if (a->peer)
        race_cluster_visit(w, a);
    if (is_strong(a))
        strong_parts(w, &moved);
    else if (!sample_loops_long(w->block))
        race_global_access(w, &moved, false);
}

static void access(struct warp *w, const struct access *a)
{
    bool strong = is_strong(a);
    if (w->block->launch->bulk)
        race_bulk_access(w, a);
    if (a->space == PTX_GLOBAL && a->async == BULK_ISSUED && a->kind == LOAD)
        race_proxy_global(w, a);
    if (a->space == PTX_SHARED && race_of(w->block)->proxy) {
        race_product_write(w, a);
        race_proxy_access(w, a);
    }
    if (a->space == PTX_SHARED && w->block->launch->clustered) {
        if (!is_reserved(w->block->launch, a))
            cluster_access(w, a);
    } else if (a->space == PTX_SHARED) {
        if (strong)
            strong_access(w, a, false);
        else if (!is_reserved(w->block->launch, a))
            race_shared_access(w, a);
    } else if (a->space == PTX_GLOBAL && !strong) {
        if (a->kind == STORE)
            clock_of(w)->dirty |= a->mask;
        if (!sample_loops_long(w->block))
            race_global_access(w, a, false);
    }
}

static void ordered_access(struct warp *w, const struct access *a)
{
    if (w->block->launch->bulk)
        race_bulk_access(w, a);
    strong_access(w, a, true);
}

static void launch_end(struct launch *launch, const struct worker *workers)
{
    (void)workers;
    order_launch_end(launch);
}

static void cluster_complete(const struct cluster *c)
{
    for (uint32_t i = 0; i < c->size; i++)
        if (c->blocks[i]->live)
            block_sync(c->blocks[i], c->blocks[i]->live);
    race_cluster_complete(c);
}

const struct observer race_check = {
    .state = &race_state,
    .launch_start = order_launch_start,
    .block_start = block_start,
    .access = access,
    .ordered_access = ordered_access,
    .warp_sync = warp_sync,
    .block_sync = block_sync,
    .cluster_arrive = race_cluster_arrive,
    .cluster_complete = cluster_complete,
    .cluster_wait = race_cluster_wait,
    .proxy_fence = race_proxy_fence,
    .map_fence = race_map_fence,
    .map_read = race_map_read,
    .products_done = race_products_done,
    .fence = fence,
    .device_launch = device_launch,
    .loaded = weak_value,
    .block_end = block_end,
    .block_close = block_free,
    .launch_end = launch_end,
};
