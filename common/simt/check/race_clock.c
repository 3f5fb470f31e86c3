// Describes a race: both accesses by line and thread, and what is missing between them. A barrier, a fence and an
// atomic are different lessons, so each case has its own message.
#include "check/race.h"

#include <stdio.h>
#include <string.h>

#include "decode/opcodes.h"

static const char *hazard(enum access_kind past, enum access_kind now)
{
    return past == LOAD ? "WAR" : now == LOAD ? "RAW" : "WAW";
}

// Whether the kernel spins on a compare-and-swap or an exchange.
static bool spins_on_lock(const struct launch *launch)
{
    const struct module *m = launch->module;
    bool takes = false;
    for (uint32_t id = 0; id < m->origin_count && !launch->follow_orders; id++) {
        const struct origin *o = &m->origins[id];
        takes |= o->code == launch->code && o->op == OP_atom && o->spins &&
                 (strstr(o->ptx->op, ".cas.") || strstr(o->ptx->op, ".exch."));
    }
    return takes;
}

static const char *missing(struct warp *w, uint32_t lane, const struct side *past)
{
    if (past->torn)
        return "which overlap only in part: both must access exactly the same bytes";
    bool same_block = past->when.block == w->block->number;
    if (past->narrow && !same_block)
        return "one of them only in the scope of its block, which promises nothing to other blocks";
    if (past->strong && !(same_block && past->when.warp == w->index))
        return same_block ? "volatile and relaxed accesses order nothing: no barrier or __threadfence_block between"
                          : "volatile and relaxed accesses order nothing: no __threadfence between";
    if (!same_block && w->block->launch->follow_orders && order_known_if_fenced(w, lane, &past->when))
        return "no __threadfence between the word that announced the write and this access";
    if (!same_block && spins_on_lock(w->block->launch))
        return "nothing orders the blocks: a lock needs __threadfence() after it is taken and before it is released";
    if (!same_block && race_of(w->block)->cluster && race_cluster_met_relaxed(w, lane, &past->when))
        return origin_init(w, past->id) ? "no fence.mbarrier_init before the relaxed arrival at the cluster's barrier"
                                        : "no fence of the cluster before the relaxed arrival at the cluster's barrier";
    if (!same_block)
        return race_of(w->block)->cluster ? "no cluster barrier between" : "nothing orders the blocks";
    return past->when.warp == w->index && !past->several_warps ? "no __syncwarp between" : "no barrier between";
}

// In one word, what a fix would add.
static const char *missing_word(const struct warp *w, const struct side *past)
{
    bool same_block = past->when.block == w->block->number;
    if (past->torn || (past->narrow && !same_block))
        return NULL;
    if (past->strong && !(same_block && past->when.warp == w->index))
        return same_block ? "__threadfence_block" : "__threadfence";
    if (!same_block)
        return "order";
    return past->when.warp == w->index && !past->several_warps ? "__syncwarp" : "barrier";
}

// "write", or "write of 4 bytes" if sizes matter; one buffer for each side.
static const char *verb_of(enum access_kind kind, uint32_t bytes, bool torn, bool now)
{
    static _Thread_local char text[2][32];
    if (!torn)
        return access_word(kind);
    snprintf(text[now], sizeof text[now], "%s of %u byte%s", access_word(kind), bytes, bytes == 1 ? "" : "s");
    return text[now];
}

// Whether one line both reads and writes the word: `sum += x`.
static const char *is_update(const char *first, const char *second, const struct side *past, const struct access *a)
{
    return past->kind != a->kind && !strcmp(first, second) ? ", nor is the update atomic" : "";
}

// The second place; omits the file's name if both places are in one file.
static const char *short_place(const char *first, const char *second)
{
    size_t n = strcspn(first, ":");
    return first[n] && !strncmp(first, second, n + 1) ? second + n : second;
}

// Whether another lane made the earlier access in this same request.
static bool is_same_request(const struct warp *w, const struct access *a, uint32_t l, const struct side *past)
{
    return past->id == (a->in->id & 0x3fffff) && past->when.block == w->block->number && past->when.warp == w->index &&
           past->when.clock == clock_of(w)->now && a->mask >> past->when.lane & 1 &&
           a->addr[past->when.lane] == a->addr[l];
}

static void report_sides(struct warp *w, const struct access *a, uint32_t lane, const struct side *past,
                         bool same_value)
{
    struct block *b = w->block;
    if (race_unknown(w, a, past->id))
        return;
    bool same_warp = past->when.block == b->number && past->when.warp == w->index && !past->several_warps;
    enum severity severity = same_value ? INFORMATION : same_warp ? WARNING : ERROR;
    if (report_again(b, FINDING_RACE, severity, a->in->id, past->id))
        return; // what is missing takes long to find out, and a copy may race in thousands of words
    const char *first = origin_place(b->launch->module, past->id), *second = origin_place(b->launch->module, a->in->id);
    char other[80];
    if (past->unknown_thread)
        snprintf(other, sizeof other, "another thread");
    else if (past->when.block != b->number)
        snprintf(other, sizeof other, "%s of %s", thread_name(b, past->when.warp * LANES + past->when.lane),
                 block_name(b->launch, past->when.block));
    else
        snprintf(other, sizeof other, "%s", thread_name(b, past->when.warp * LANES + past->when.lane));
    struct scene s = scene_of_access(w, a, lane);
    if (a->moved) {
        s.space = PTX_SHARED;
        s.address -= (uint64_t)(uintptr_t)accessed_block(w, a)->shared;
    }
    uint32_t thread = past->unknown_thread ? NO_THREAD : past->when.warp * LANES + past->when.lane;
    s.past = (struct actor){past->when.block, thread, access_word(past->kind)};
    s.missing = missing_word(w, past);
    report_scene(
        b, &s, FINDING_RACE, severity, a->in->id, past->id, "Race (%s) in %s memory: %s %s by %s, %s %s by %s, %s%s%s",
        hazard(past->kind, a->kind), a->space == PTX_SHARED || a->moved ? "__shared__" : "__global__", first,
        verb_of(past->kind, earlier_size(w, past->id), past->torn, false), other, short_place(first, second),
        verb_of(a->kind, a->in->size, past->torn, true), thread_name(b, w->index * LANES + lane),
        missing(w, lane, past), is_update(first, second, past, a), same_value ? " (both write the same value)" : "");
}

void race_report(struct warp *w, const struct access *a, uint32_t lane, const struct side *past, const uint8_t *there,
                 bool write)
{
    if (is_same_request(w, a, lane, past)) // memory does not hold it yet
        there = a->data + past->when.lane * a->stride;
    bool same = write && a->kind == STORE && past->kind == STORE && !memcmp(there, a->data + lane * a->stride, a->size);
    if (!(same && past->strong && !past->torn))
        report_sides(w, a, lane, past, same);
}
