// Asynchronous matrix products (exec/wgmma.c): they read their factors at any time between issue and completion.
//
// A product belongs to a warpgroup and is complete when one of its four warps has waited for it. Its record names the
// warp that waited first; the waits of the others count equally. So each wait of a warp is kept for a while, with its
// time. Within the warpgroup only what a warp itself has in flight counts. In a cluster the write may come from another
// block: a copy that fills the factors again.
#include "base/alloc.h"
#include "check/race.h"
#include "decode/opcodes.h"
#include "exec/warpgroup.h"

static bool is_product_read(const struct warp *w, uint32_t id)
{
    const struct module *m = w->block->launch->module;
    return id < m->origin_count && m->origins[id].op == OP_wgmma;
}

void race_product_start(struct block *b)
{
    struct warp_waits *waits = race_of(b)->waits;
    for (uint32_t i = 0; waits && i < b->warp_count; i++)
        waits[i].count = 0;
}

void race_products_done(struct warp *w, uint32_t number)
{
    struct block_race *b = race_of(w->block);
    b->waits = b->waits ? b->waits : alloc_zeroed(MAX_WARPS, sizeof *b->waits);
    struct warp_waits *r = &b->waits[w->index];
    r->list[r->count++ % WAITS] = (struct product_wait){number, clock_of(w)->now};
    clock_of(w)->now++;
    race_learns(w->block);
}

// The first remembered wait of the warp that covers the product's number, or its time; NULL: none does.
static const struct product_wait *find_wait(const struct warp_waits *r, uint32_t number, uint32_t clock)
{
    for (uint32_t i = r->count > WAITS ? r->count - WAITS : 0; i < r->count; i++) {
        const struct product_wait *x = &r->list[i % WAITS];
        if (x->number >= number && x->clock >= clock)
            return x;
    }
    return NULL;
}

static bool knows_wait(struct warp *w, uint32_t l, uint64_t block, uint32_t warp, const struct product_wait *wait)
{
    struct moment past = {block, warp, 0, wait->clock};
    for (; past.lane < LANES; past.lane++)
        if (race_ordered(w, l, &past, PROOF_KNOWN))
            return true;
    return false;
}

bool race_product_done(struct warp *w, uint32_t l, const struct moment *past, uint32_t id, bool wide)
{
    struct block *b = is_product_read(w, id) ? race_cluster_block(w, past->block) : NULL;
    const struct block_race *r = b ? race_of(b) : NULL;
    bool own = b == w->block;
    if (own && wide && r->known)
        return true;
    if (!r || !r->waits)
        return false;
    const struct product_wait *first = find_wait(&r->waits[past->warp], 0, past->clock);
    if (own && past->warp / GROUP_WARPS == w->index / GROUP_WARPS)
        return first && find_wait(&r->waits[w->index], first->number, 0);
    for (uint32_t i = past->warp & ~(GROUP_WARPS - 1u), end = i + GROUP_WARPS; first && i < end; i++) {
        const struct product_wait *wait = find_wait(&r->waits[i], first->number, 0);
        if (wait && knows_wait(w, l, b->number, i, wait))
            return true;
    }
    return false;
}

// Reports a write to what a product of the warp is still reading. a is an access to shared memory.
void race_product_write(struct warp *w, const struct access *a)
{
    if (a->kind == LOAD || a->peer || !w->block->groups)
        return;
    FOR_LANES(l, a->mask)
    {
        const struct insn *by = product_reading(w, a->addr[l], a->addr[l] + a->size);
        if (!by)
            continue;
        struct scene s = scene_of_access(w, a, l);
        const struct module *m = w->block->launch->module;
        s.past = (struct actor){w->block->number, NO_THREAD, access_word(LOAD)};
        report_scene(w->block, &s, FINDING_RACE, ERROR, a->in->id, by->id,
                     "Race (WAR) in __shared__ memory: the product at %s is in flight and reads it, "
                     "%s write by %s: no wgmma.wait_group between them",
                     origin_place(m, by->id), origin_place(m, a->in->id), thread_name(w->block, w->index * LANES + l));
        return;
    }
}
