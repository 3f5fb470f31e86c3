// Reports that no thread makes progress: where every group of lanes is, and what it waits for.
#include "exec/deadlock.h"

#include <stdio.h>

#include "exec/async.h"
#include "exec/barrier.h"
#include "exec/finding.h"
#include "exec/warp.h"
#include "memory/memory.h"
#include "report/errors.h"

enum { WORDS = 400 }; // bytes of an explanation

// The instruction at which p waits, or the first one of its basic block with a source line: instructions that the
// decoder adds have none.
static const struct insn *place_of(const struct path *p)
{
    const struct code *c = p->frame->code;
    const struct basic_block *b = &c->blocks[p->block];
    const struct insn *in = p->waits_at ? p->waits_at : b->first;
    while (!p->waits_at && in + 1 < b->last && !instr_of(c->module, in->id))
        in++;
    return in;
}

static const char *thread_of(const struct block *b, const struct warp *w, uint32_t lanes)
{
    return thread_name(b, w->index * LANES + (uint32_t)__builtin_ctz(lanes));
}

// Describes where a lane is that others wait for: "waits at f.cu:12", "ended at f.cu:20".
static void describe_lane(const struct block *b, const struct warp *w, uint32_t lane, char out[WORDS])
{
    const struct module *m = b->launch->module;
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].mask >> lane & 1) {
            snprintf(out, WORDS, "%s at %s", path_runnable(&w->paths[i]) ? "runs" : "waits",
                     origin_place(m, place_of(&w->paths[i])->id));
            return;
        }
    snprintf(out, WORDS, "ended at %s", origin_place(m, w->ended_at));
}

// Lanes that a path waits for at a __syncwarp, a shuffle, a vote.
static void explain_warp_sync(const struct block *b, const struct warp *w, const struct path *p, char out[WORDS])
{
    uint32_t here = 0;
    char does[WORDS];
    for (uint32_t i = 0; i < w->path_count; i++)
        here |= w->paths[i].waits_at == p->waits_at ? w->paths[i].mask : 0;
    uint32_t missing = p->named & w->first & ~here;
    if (!missing)
        return;
    describe_lane(b, w, (uint32_t)__builtin_ctz(missing), does);
    bool several = missing & (missing - 1);
    snprintf(out, WORDS, ", for %s%s, which its mask names; %s %.300s", thread_of(b, w, missing),
             several ? " and others" : "", several ? "the first of them" : "it", does);
}

// The first warp that has not reached the barrier; NULL: all of them have.
static const struct warp *absent_warp(const struct block *b, const struct barrier *bar)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (!(bar->warps >> i & 1))
            return &b->warps[i];
    return NULL;
}

// The lanes that keep the warp from barrier `at`: those waiting elsewhere, or else all live lanes, or all that it had.
static uint32_t absent_lanes(const struct warp *w, const struct insn *at)
{
    uint32_t lanes = w->alive;
    for (uint32_t i = 0; i < w->path_count; i++)
        lanes &= w->paths[i].waits_at == at ? ~w->paths[i].mask : ALL_LANES;
    return lanes ? lanes : w->alive ? w->alive : w->first;
}

static void explain_barrier(struct block *b, struct warp *w, const struct path *p, char out[WORDS])
{
    uint32_t threads;
    char does[WORDS];
    if (!w->at_barrier) // other lanes of the warp keep it from arriving
        return;
    path_select(w, (struct path *)p);
    const struct barrier *bar = barrier_of(w, p->waits_at, &threads);
    const struct warp *absent = absent_warp(b, bar);
    int n = 0;
    if (bar->expected)
        n = snprintf(out, WORDS, ", for %u threads at barrier %d, of which %u have arrived", bar->expected,
                     (int)(bar - b->barriers), bar->threads);
    if (!absent || n >= WORDS)
        return;
    uint32_t lanes = absent_lanes(absent, p->waits_at);
    describe_lane(b, absent, (uint32_t)__builtin_ctz(lanes), does);
    snprintf(out + n, (size_t)(WORDS - n), "; %s has not arrived: it %.200s", thread_of(b, absent, lanes), does);
}

static void explain_products(const struct block *b, const struct warp *w, char out[WORDS])
{
    const struct warp *absent = products_lack(w);
    char does[WORDS];
    if (!absent)
        return;
    uint32_t lanes = absent->path_count ? absent->paths[0].mask : absent->alive;
    describe_lane(b, absent, (uint32_t)__builtin_ctz(lanes), does);
    snprintf(out, WORDS, "; warp %u of its warpgroup has not issued the products that it waits for: %s %.200s",
             absent->index, thread_of(b, absent, lanes), does);
}

static void explain_registers(const struct block *b, const struct warp *w, char out[WORDS])
{
    uint32_t has, more = registers_taken(w, &has);
    snprintf(out, WORDS,
             "; its warp takes %u more registers a thread than its %u, %u in all, "
             "but of those that setmaxnreg.dec has given back %u are left",
             more, has, more * LANES, b->spare_registers);
}

// Describes the mbarrier that a warp keeps testing.
static void explain_mbarrier(const struct block *b, const struct warp *w, char out[WORDS])
{
    struct mbarrier_count n = mbarrier_count(b->shared + w->mbarrier - 1);
    int used = snprintf(out, WORDS, "; it waits at an mbarrier that has counted %u of %u arrivals",
                        n.expected - n.pending, n.expected);
    if (n.bytes)
        used += snprintf(out + used, (size_t)(WORDS - used),
                         n.bytes > 0 ? ", %lld bytes are missing" : ", %lld bytes more than expected have arrived",
                         (long long)(n.bytes < 0 ? -n.bytes : n.bytes));
    if (b->exited)
        snprintf(out + used, (size_t)(WORDS - used), ", and %u of the block's %u threads have ended", b->exited,
                 b->thread_count);
}

// Describes the word of global memory that a warp polls.
static void explain_spin(const struct warp *w, char out[WORDS])
{
    const struct allocation *a = w->polled_address ? memory_find(w->polled_address) : NULL;
    if (!a || !a->live || w->polled_address - a->base + 4 > a->size)
        return;
    if (w->block->launch->workspace && a->base == w->block->launch->workspace) {
        snprintf(out, WORDS, "; it waits at a barrier of the grid, which some blocks never reach");
        return;
    }
    snprintf(out, WORDS, "; it polls the word %llu bytes into %s of %llu bytes, which stays 0x%x",
             (unsigned long long)(w->polled_address - a->base), a->name ? variable_name(a->name) : "an allocation",
             (unsigned long long)a->size, *(const uint32_t *)(uintptr_t)w->polled_address);
}

static void explain(struct block *b, struct warp *w, const struct path *p, char out[WORDS])
{
    out[0] = 0;
    if (p->state == PATH_AT_WARP_SYNC)
        explain_warp_sync(b, w, p, out);
    else if (p->state == PATH_AT_BARRIER)
        explain_barrier(b, w, p, out);
    else if (p->state == PATH_AT_PRODUCTS)
        explain_products(b, w, out);
    else if (p->state == PATH_AT_REGISTERS)
        explain_registers(b, w, out);
    else if (path_runnable(p) && w->mbarrier)
        explain_mbarrier(b, w, out);
    else if (path_runnable(p))
        explain_spin(w, out);
}

static void report_path(struct block *b, struct warp *w, const struct path *p, const char *why, const char *more)
{
    const struct insn *at = place_of(p);
    const struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(p->mask));
    bool several = __builtin_popcount(p->mask) > 1;
    report_scene(b, &s, FINDING_SYNC, ERROR, at->id, NONE, "%s: %s%s %s%s at %s%s", why, thread_of(b, w, p->mask),
                 several ? " and others" : "", path_runnable(p) ? "run" : "wait", several ? "" : "s",
                 origin_place(b->launch->module, at->id), more);
}

// Lists lanes that wait within their warp or for registers first, then lanes that poll: the lanes at a barrier wait for
// both.
void report_deadlock(struct block *b, const char *why)
{
    for (int rank = 0; rank < 3; rank++)
        for (uint32_t i = 0; i < b->warp_count; i++)
            for (uint32_t k = 0; k < b->warps[i].path_count; k++) {
                const struct path *p = &b->warps[i].paths[k];
                char more[WORDS];
                explain(b, &b->warps[i], p, more);
                bool named = p->state == PATH_AT_REGISTERS || (p->state == PATH_AT_WARP_SYNC && more[0]);
                if (rank == (named ? 0 : path_runnable(p) ? 1 : 2))
                    report_path(b, &b->warps[i], p, why, more);
            }
    fail_launch(b->launch, CUDA_ERROR_LAUNCH_TIMEOUT);
}

void report_endless(struct warp *w, const struct path *p, const char *kind)
{
    struct block *b = w->block;
    bool several = __builtin_popcount(p->mask) > 1;
    const struct insn *at = place_of(p);
    const struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(p->mask));
    report_scene(b, &s, FINDING_SYNC, ERROR, at->id, NONE, "The kernel does not end: %s%s run%s a loop at %s %s",
                 thread_of(b, w, p->mask), several ? " and others" : "", several ? "" : "s",
                 origin_place(b->launch->module, at->id), kind);
    fail_launch(b->launch, CUDA_ERROR_LAUNCH_TIMEOUT);
}
