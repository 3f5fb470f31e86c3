// The async proxy: tensor cores and bulk copies read shared memory by another way than loads and stores do. What a
// thread has stored they see after its fence.proxy.async; one of the warp that issues the product or copy will do, or
// of any thread after a barrier.
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"
#include "decode/opcodes.h"

// The last store to a word. time 0: none, or not by a thread.
struct stored {
    uint32_t time, id, thread;
};

struct block_proxy {
    uint32_t time;    // counts stores, fences and barriers
    uint32_t barrier; // the latest
    uint32_t covered; // stores before this time have a barrier, and then a fence
    uint32_t fence[MAX_WARPS * LANES];
    uint32_t words;
    struct stored stored[];
};

void race_proxy_start(struct block *b)
{
    struct block_race *r = race_of(b);
    uint32_t words = shared_size(b->launch) / 4 + 8;
    size_t bytes = sizeof *r->proxy + words * sizeof *r->proxy->stored;
    if (!b->launch->code->followed_count && !b->launch->bulk)
        return;
    r->proxy = r->proxy ? r->proxy : alloc_zeroed(1, bytes);
    memset(r->proxy, 0, bytes);
    r->proxy->words = words;
}

void race_proxy_fence(struct warp *w)
{
    struct block_proxy *p = race_of(w->block)->proxy;
    if (!p)
        return;
    p->time++;
    p->covered = p->barrier;
    FOR_LANES(l, w->mask)
    p->fence[w->index * LANES + l] = p->time;
}

void race_proxy_barrier(struct block *b)
{
    struct block_proxy *p = race_of(b)->proxy;
    if (p)
        p->barrier = ++p->time;
}

static void note_store(struct warp *w, struct block_proxy *p, const struct access *a)
{
    p->time++;
    FOR_LANES(l, a->mask)
    for (uint64_t i = a->addr[l] / 4; i <= (a->addr[l] + a->size - 1) / 4 && i < p->words; i++)
        p->stored[i] = (struct stored){a->async ? 0 : p->time, a->in->id, w->index * LANES + l};
}

static bool is_seen(const struct warp *w, const struct block_proxy *p, const struct stored *s)
{
    bool seen = !s->time || p->fence[s->thread] > s->time || p->covered > s->time;
    for (uint32_t l = 0; l < LANES && !seen; l++)
        seen = p->fence[w->index * LANES + l] > s->time;
    return seen;
}

static void report_unseen(struct warp *w, const struct access *a, uint32_t l, const struct stored *s)
{
    const struct module *m = w->block->launch->module;
    struct scene scene = scene_of_access(w, a, l);
    scene.past = (struct actor){w->block->number, s->thread, access_word(STORE)};
    scene.missing = "fence.proxy.async";
    report_scene(w->block, &scene, FINDING_RACE, ERROR, a->in->id, s->id,
                 "Race (RAW) in __shared__ memory: %s write by %s, "
                 "then the %s at %s reads it by the async proxy: no fence.proxy.async after the write",
                 origin_place(m, s->id), thread_name(w->block, s->thread),
                 a->async == BULK_ISSUED ? "bulk copy" : "product", origin_place(m, a->in->id));
}

// a is of shared memory, and the block has the checker's part.
void race_proxy_access(struct warp *w, const struct access *a)
{
    struct block_proxy *p = race_of(w->block)->proxy;
    if (a->peer || is_async_end(a->async))
        return;
    if (a->kind != LOAD) {
        note_store(w, p, a);
        return;
    }
    FOR_LANES(l, a->async == BULK_ISSUED || takes_warpgroup(a->in->op) ? a->mask : 0)
    for (uint64_t i = a->addr[l] / 4; i < (a->addr[l] + a->size) / 4 && i < p->words; i++)
        if (!is_seen(w, p, &p->stored[i])) {
            report_unseen(w, a, l, &p->stored[i]);
            return;
        }
}
