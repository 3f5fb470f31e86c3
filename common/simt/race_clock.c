// Clocks, barriers, and the race checker's observer.
#include <stdio.h>
#include <stdlib.h>

#include "module.h"
#include "observers.h"
#include "race.h"

#define BASE_LIMIT 0xfff000u // of times in shared records, which have 24 bits

// ---- knowledge within a block

static bool known_in_warp(const struct warp *w, uint32_t l, const struct moment *past)
{
    if (past->clock < w->clock.lane_floor)
        return true;
    return w->clock.lanes && past->clock <= w->clock.lanes[l * LANES + past->lane];
}

static bool known_in_block(const struct warp *w, const struct moment *past)
{
    if (past->clock < w->block->race->floor)
        return true;
    return w->clock.warps && past->clock <= w->clock.warps[past->warp];
}

bool race_ordered(struct warp *w, uint32_t l, const struct moment *past)
{
    struct block *b = w->block;
    if (past->block == b->number) {
        if (past->warp == w->index && past->lane == l)
            return true;
        if (past->warp == w->index ? known_in_warp(w, l, past) : known_in_block(w, past))
            return true;
    }
    return b->launch->follow_orders && order_knows(b, past);
}

// ---- what moves the clocks

static void block_start(struct block *b)
{
    if (!b->race)
        b->race = calloc(1, sizeof *b->race);
    struct block_race *r = b->race;
    uint32_t now = ++b->worker->clock;
    r->floor = now;
    r->soft_floor = 0;
    r->soft_known = NULL;
    r->known = NULL;
    order_forget(r);
    r->shared_words = NULL;
    for (uint32_t i = 0; i < b->warp_count; i++)
        b->warps[i].clock = (struct warp_clock){.now = now, .lane_floor = now};
    if (b->launch->follow_orders && !r->lanes)
        r->lanes = malloc(b->warp_count * LANES * sizeof *r->lanes);
    if (r->lanes)
        memset(r->lanes, 0, b->warp_count * LANES * sizeof *r->lanes);
    race_shared_start(b);
}

static void block_free(struct block *b)
{
    struct block_race *r = b->race;
    if (!r)
        return;
    for (int i = 0; i < MAX_WARPS; i++) {
        free(r->lane_storage[i]);
        free(r->warp_storage[i]);
    }
    order_forget(r);
    free(r->lanes);
    free(r->writes);
    free(r->reads);
    free(r);
    b->race = NULL;
}

static uint32_t newest(const struct block *b)
{
    uint32_t now = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        now = b->warps[i].clock.now > now ? b->warps[i].clock.now : now;
    return now;
}

static void block_end(struct block *b)
{
    uint32_t now = newest(b);
    b->worker->clock = now > b->worker->clock ? now : b->worker->clock;
}

// Lanes of w that met in groups with masks of their own: each learns what its group knows.
static void meet_in_groups(struct warp *w, uint32_t lanes, const uint32_t *named)
{
    struct block_race *r = w->block->race;
    uint32_t *k = r->lane_storage[w->index];
    if (!k)
        k = r->lane_storage[w->index] = malloc(LANES * LANES * sizeof *k);
    if (!w->clock.lanes)
        for (int i = 0; i < LANES * LANES; i++)
            k[i] = w->clock.lane_floor - 1;
    w->clock.lanes = k;
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
                best[m] = w->clock.now;
        FOR_LANES(g, group)
        memcpy(k + g * LANES, best, sizeof best);
        left &= ~group;
    }
    w->clock.now++;
}

static void warp_sync(struct warp *w, uint32_t lanes, const uint32_t *named)
{
    bool one_group = lanes == w->alive;
    FOR_LANES(l, lanes)
    one_group &= (named[l] & w->alive) == w->alive;
    if (!one_group) {
        meet_in_groups(w, lanes, named);
        return;
    }
    w->clock.lane_floor = ++w->clock.now;
    w->clock.lanes = NULL;
}

// Some warps met at a named barrier: each learns what all of them know.
static void meet_some_warps(struct block *b, uint32_t warps)
{
    struct block_race *r = b->race;
    uint32_t best[MAX_WARPS];
    for (uint32_t m = 0; m < MAX_WARPS; m++)
        best[m] = r->floor - 1;
    FOR_LANES(i, warps)
    {
        const uint32_t *k = b->warps[i].clock.warps;
        for (uint32_t m = 0; k && m < MAX_WARPS; m++)
            best[m] = k[m] > best[m] ? k[m] : best[m];
        best[i] = b->warps[i].clock.now;
    }
    FOR_LANES(j, warps)
    {
        struct warp_clock *c = &b->warps[j].clock;
        if (!r->warp_storage[j])
            r->warp_storage[j] = malloc(sizeof best);
        c->warps = r->warp_storage[j];
        memcpy(c->warps, best, sizeof best);
        c->lane_floor = ++c->now;
        c->lanes = NULL;
    }
}

static void block_sync(struct block *b, uint32_t warps)
{
    struct block_race *r = b->race;
    uint32_t dirty = 0;
    FOR_LANES(i, warps)
    dirty |= b->warps[i].clock.dirty;
    if ((warps & b->live) != b->live) {
        meet_some_warps(b, warps);
        return;
    }
    uint32_t now = newest(b) + 1;
    for (uint32_t j = 0; j < b->warp_count; j++)
        b->warps[j].clock = (struct warp_clock){.now = now, .lane_floor = now, .dirty = b->warps[j].clock.dirty};
    r->floor = now;
    if (r->lanes)
        order_barrier(b, !dirty);
    if (now - r->base > BASE_LIMIT)
        race_shared_start(b);
}

static void fence(struct warp *w, enum scope scope)
{
    if (w->block->race->lanes)
        order_fence(w, scope);
    w->clock.now++;
    if (scope != SCOPE_BLOCK)
        w->clock.dirty &= ~w->mask;
}

// ---- accesses

static void access(struct warp *w, const struct access *a)
{
    bool strong = a->kind == ATOMIC || a->in->order & (ORDER_STRONG | ORDER_VOLATILE);
    if (a->space == PTX_SHARED) {
        if (!is_reserved(w->block->launch, a))
            race_shared_access(w, a);
        if (strong && w->block->race->lanes)
            order_access(w, a);
    } else if (a->space == PTX_GLOBAL && !strong) {
        if (a->kind == STORE)
            w->clock.dirty |= a->mask;
        race_global_access(w, a, false);
    }
}

static void ordered_access(struct warp *w, const struct access *a)
{
    race_global_access(w, a, true);
    if (w->block->race->lanes)
        order_access(w, a);
}

const struct observer race_check = {
    .launch_start = order_launch_start,
    .block_start = block_start,
    .access = access,
    .ordered_access = ordered_access,
    .warp_sync = warp_sync,
    .block_sync = block_sync,
    .fence = fence,
    .block_end = block_end,
    .block_close = block_free,
    .launch_end = order_launch_end,
};

// ---- reports

static const char *hazard(enum access_kind past, enum access_kind now)
{
    return past == LOAD ? "WAR" : now == LOAD ? "RAW" : "WAW";
}

static const char *verb(enum access_kind kind)
{
    return kind == LOAD ? "read" : kind == STORE ? "write" : "atomic";
}

static const char *missing(const struct warp *w, const struct side *past)
{
    if (past->when.block != w->block->number)
        return "nothing orders the blocks";
    return past->when.warp == w->index && !past->several_warps ? "no __syncwarp between" : "no barrier between";
}

// One line both reads and writes the word: `sum += x`.
static const char *is_update(const char *first, const char *second, const struct side *past, const struct access *a)
{
    return past->kind != a->kind && !strcmp(first, second) ? "; is an atomic missing?" : "";
}

// The second place, without the file's name where it is the first one's.
static const char *short_place(const char *first, const char *second)
{
    size_t n = strcspn(first, ":");
    return first[n] && !strncmp(first, second, n + 1) ? second + n : second;
}

void race_report(struct warp *w, const struct access *a, uint32_t lane, const struct side *past, bool same_value)
{
    struct block *b = w->block;
    bool same_warp = past->when.block == b->number && past->when.warp == w->index && !past->several_warps;
    enum severity severity = same_value ? INFORMATION : same_warp ? WARNING : ERROR;
    const char *first = origin_place(b->launch->module, past->id), *second = origin_place(b->launch->module, a->in->id);
    char other[80];
    if (past->unknown_thread)
        snprintf(other, sizeof other, "another thread");
    else if (past->when.block != b->number)
        snprintf(other, sizeof other, "%s of %s", thread_name(b, past->when.warp * LANES + past->when.lane),
                 block_name(b->launch, past->when.block));
    else
        snprintf(other, sizeof other, "%s", thread_name(b, past->when.warp * LANES + past->when.lane));
    report(b, FINDING_RACE, severity, a->in->id, past->id, "Race (%s) in %s memory: %s %s by %s, %s %s by %s, %s%s%s",
           hazard(past->kind, a->kind), a->space == PTX_SHARED ? "__shared__" : "__global__", first, verb(past->kind),
           other, short_place(first, second), verb(a->kind), thread_name(b, w->index * LANES + lane), missing(w, past),
           is_update(first, second, past, a), same_value ? " (both write the same value)" : "");
}
