// Accesses to what bulk copies have in flight. A copy is in flight from its issue until a wait shows that it is
// complete; barriers between threads do not order it. Other files treat it as an access of the issuing thread. Here
// every access is compared with the copies themselves, including the issuing thread's own.
#include "check/race.h"
#include "exec/bulk.h"
#include "exec/finding.h"

static const char *missing_wait(const struct bulk *c, bool source)
{
    return c->barrier ? "no wait for the phase of its mbarrier lies between"
           : source   ? "no cp.async.bulk.wait_group lies between"
                      : "no cp.async.bulk.wait_group without .read lies between";
}

static void report_in_flight(struct warp *w, const struct access *a, uint32_t l, const struct bulk *c, bool source)
{
    const struct block *by = c->warp->block;
    const struct module *m = w->block->launch->module;
    struct scene s = scene_of_access(w, a, l);
    s.past = (struct actor){by->number, c->warp->index * LANES + c->lane, source ? "read" : "write"};
    report_scene(w->block, &s, FINDING_RACE, ERROR, a->in->id, c->in.id,
                 "Race (%s) in %s memory: the %s at %s %s it, %s %s by %s: %s",
                 source            ? "WAR"
                 : a->kind == LOAD ? "RAW"
                                   : "WAW",
                 a->space == PTX_SHARED ? "__shared__" : "__global__", c->name, origin_place(m, c->in.id),
                 source ? "reads" : "writes", origin_place(m, a->in->id), access_word(a->kind),
                 thread_name(w->block, w->index * LANES + l), missing_wait(c, source));
}

static void compare(struct warp *w, const struct access *a, uint32_t l, const uint8_t *at)
{
    const struct bulk_queue *q = w->block->cluster->bulk;
    for (uint32_t i = 0; i < q->count; i++) {
        const struct bulk *c = &q->list[i];
        bool both_add = c->sum.size && a->kind == ATOMIC; // reductions commute
        bool to = !both_add && bulk_overlaps(c, true, at, a->size);
        bool from = a->kind != LOAD && !c->source_free && bulk_overlaps(c, false, at, a->size);
        if ((to || from) && bulk_in_flight(c))
            report_in_flight(w, a, l, c, !to);
    }
}

// Whether a copy touches any byte from low on, of so many. Most accesses are far from what is in flight.
static bool any_near(const struct bulk_queue *q, const uint8_t *low, uint64_t size)
{
    uint32_t all = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    bool near = all == UINT32_MAX;
    for (uint32_t i = 0; i < q->count && !near; i++)
        near = bulk_overlaps(&q->list[i], true, low, all) || bulk_overlaps(&q->list[i], false, low, all);
    return near;
}

void race_bulk_access(struct warp *w, const struct access *a)
{
    const struct block *b = w->block;
    if (!b->cluster->bulk || !b->cluster->bulk->count || a->async == BULK_DONE || is_reserved(b->launch, a))
        return;
    if (a->space != PTX_SHARED && a->space != PTX_GLOBAL)
        return;
    const uint8_t *base = a->space == PTX_SHARED ? accessed_block(w, a)->shared : NULL;
    const uint8_t *low = base ? base + a->low : (const uint8_t *)(uintptr_t)a->low;
    FOR_LANES(l, any_near(b->cluster->bulk, low, a->high - a->low) ? a->mask : 0)
    compare(w, a, l, base ? base + a->addr[l] : (const uint8_t *)(uintptr_t)a->addr[l]);
}
