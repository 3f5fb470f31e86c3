// What lanes do together: barriers, shuffles, votes, matches, warp reductions, fences.
//
// A *.sync instruction waits until every lane in its mask has reached it. Lanes of one warp may arrive on different
// paths and with different masks (tiles). A group continues as soon as all its lanes have arrived.
#include <string.h>

#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/sync.h"
#include "exec/warp.h"
#include "report/settings.h"

static void report_mask(struct warp *w, const struct insn *in, uint32_t lanes, enum severity severity, const char *what)
{
    const struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(lanes));
    if (settings()->check_sync)
        report_scene(w->block, &s, FINDING_SYNC, severity, in->id, NONE - 1 - (uint32_t)what[0],
                     "Barrier error detected. Invalid arguments: at %s the mask %s (%s)",
                     origin_place(w->block->launch->module, in->id), what,
                     thread_name(w->block, w->index * LANES + (uint32_t)__builtin_ctz(lanes)));
}

// Lanes that wait at `in` on other paths, in the same frame.
static uint32_t lanes_waiting_at(const struct warp *w, const struct insn *in)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *p = &w->paths[i];
        if (p != w->path && p->waits_at == in && p->state == PATH_AT_WARP_SYNC &&
            p->frame->reg_base == w->path->frame->reg_base)
            lanes |= p->mask;
    }
    return lanes;
}

// Those of the lanes `here` whose whole group has arrived; `named` holds each lane's mask.
static uint32_t complete_groups(struct warp *w, uint32_t here, const uint32_t *named)
{
    uint32_t ready = 0, left = here;
    while (left) {
        uint32_t mask = named[__builtin_ctz(left)], group = 0;
        FOR_LANES(l, left)
        group |= (uint32_t)(named[l] == mask) << l;
        if (((mask & w->alive) & ~group) == 0)
            ready |= group;
        left &= ~group;
    }
    return ready;
}

static void check_masks(struct warp *w, const struct insn *in, const uint32_t *named)
{
    uint32_t unnamed = 0, exited = 0;
    FOR_LANES(l, w->mask)
    {
        unnamed |= (uint32_t) !(named[l] >> l & 1) << l;
        exited |= named[l] & w->first & ~w->alive;
    }
    if (unnamed)
        report_mask(w, in, unnamed, ERROR, "does not name a thread that executes it");
    if (exited) // the other lanes do not wait for them
        report_mask(w, in, exited, WARNING, "names a thread that has exited");
}

// The common case: all 32 lanes are active on one path, and each names all of them.
static bool all_lanes_named(const struct warp *w, const uint32_t *named)
{
    uint32_t all = w->mask;
    for (uint32_t l = 0; l < LANES; l++)
        all &= named[l];
    return all == ALL_LANES;
}

// Continues the complete groups among the lanes of the running path and those that wait for them: w->mask. False:
// the path waits.
static bool meet_named(struct warp *w, const struct insn *in, const uint32_t *named)
{
    uint32_t mine = w->mask, here = mine | lanes_waiting_at(w, in);
    uint32_t ready = complete_groups(w, here, named);
    struct worker *k = w->block->worker;
    uint32_t id = current_block(w)->id;
    k->runs[id].lanes += (uint64_t)__builtin_popcount(ready) - (uint64_t)__builtin_popcount(mine);
    uint32_t all = 0;
    FOR_LANES(l, mine)
    all |= named[l];
    w->path->named = all;
    if (!ready) {
        k->runs[id].warps--;
        w->block->issued -= current_block(w)->length;
        path_wait(w, in, PATH_AT_WARP_SYNC);
        return false;
    }
    if (mine & ~ready) { // some lanes of this path belong to a group that is not complete
        struct path *rest = path_split(w, mine & ~ready);
        rest->state = PATH_AT_WARP_SYNC;
        rest->waits_at = in;
    }
    if (w->path->mask & ~ready)
        return false;
    set_mask(w, ready);
    return true;
}

// Waits for the named lanes. True: w->mask is now the lanes that continue together, maybe from several paths; the
// caller computes, then calls finish_meeting. False: the running path waits.
static bool meet(struct warp *w, const struct insn *in, uint32_t mask_place)
{
    if (!path_guard(w, in))
        return false;
    const uint32_t *named = row(w, mask_place);
    if (all_lanes_named(w, named))
        return true;
    check_masks(w, in, named);
    return meet_named(w, in, named);
}

// Reports a lane that cannot arrive: it has exited, or the block has no thread for it.
static void report_missing(struct warp *w, const struct insn *in)
{
    uint32_t lane = (uint32_t)__builtin_ctz(~w->alive);
    const struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(w->mask));
    if (settings()->check_sync)
        report_scene(w->block, &s, FINDING_SYNC, ERROR, in->id, NONE,
                     "Barrier error detected. The instruction at %s takes all 32 lanes of a warp; "
                     "lane %u of warp %u %s",
                     origin_place(w->block->launch->module, in->id), lane, w->index,
                     w->first >> lane & 1 ? "has exited" : "does not exist: the block's size is not a multiple of 32");
}

bool meet_warp(struct warp *w, const struct insn *in)
{
    uint32_t named[LANES];
    if (!path_guard(w, in))
        return false;
    if (w->mask == ALL_LANES)
        return true;
    if (w->alive != ALL_LANES)
        report_missing(w, in);
    memset(named, 0xff, sizeof named);
    return meet_named(w, in, named);
}

void wait_after_meeting(struct warp *w, const struct insn *in, enum path_state state)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].mask & w->mask)
            w->paths[i].state = state;
    path_wait(w, in, state);
}

static bool same_way(const struct path *a, const struct path *b)
{
    return a->frame == b->frame && a->join == b->join;
}

void finish_meeting(struct warp *w, const struct insn *in)
{
    uint32_t met = w->mask;
    struct path *self = w->path;
    if (met == self->mask) { // the usual case: no other lane has arrived
        path_enter(w, in->c);
        return;
    }
    for (uint32_t i = 0, count = w->path_count; i < count && met != self->mask; i++) {
        struct path *p = &w->paths[i];
        if (p == self || p->waits_at != in || p->state != PATH_AT_WARP_SYNC || !(p->mask & met))
            continue;
        if (p->mask & ~met) { // the other lanes of p keep waiting
            struct path *rest = &w->paths[w->path_count++];
            *rest = *p;
            rest->mask &= ~met;
        }
        p->mask &= met;
        p->block = in->c;
        p->state = PATH_ENTERS;
        if (same_way(p, self)) {
            self->mask |= p->mask;
            p->mask = 0;
        }
    }
    warp_drop_empty_paths(w);
    path_select(w, w->path);
    path_enter(w, in->c);
}

// ---- warp barriers

void op_warp_barrier(struct warp *w, const struct insn *in)
{
    if (!meet(w, in, in->a))
        return;
    NOTIFY(w->block->launch, warp_sync, w, w->mask, row(w, in->a));
    finish_meeting(w, in);
}

// ---- shuffles (PTX ISA: shfl.sync)

static void report_inactive(struct warp *w, const struct insn *in, uint32_t lane, uint32_t from)
{
    const struct scene s = scene_of_lane(w, lane);
    if (settings()->check_sync)
        report_scene(w->block, &s, FINDING_SYNC, ERROR, in->id, NONE,
                     "Barrier error detected. The shuffle at %s by %s reads from lane %u, which does not take part",
                     origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + lane),
                     from);
}

uint32_t source_lane(enum shuffle mode, uint32_t l, uint32_t b, uint32_t c, bool *inside)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31, most = (l & segment) | (clamp & ~segment), j;
    b &= 31;
    switch (mode) {
    case SHUFFLE_UP:
        *inside = (int32_t)(l - b) >= (int32_t)most;
        j = l - b;
        break;
    case SHUFFLE_DOWN:
        j = l + b;
        *inside = j <= most;
        break;
    case SHUFFLE_BFLY:
        j = l ^ b;
        *inside = j <= most;
        break;
    default: j = (l & segment) | (b & ~segment); *inside = j <= most;
    }
    return *inside ? j : l;
}

// All lanes shuffle by the same distance across the whole warp. Returns the lanes whose source is inside.
static uint32_t shuffle_whole(enum shuffle mode, uint32_t b, const uint32_t *a, uint32_t *result)
{
    uint32_t d = b & 31;
    memcpy(result, a, LANES * sizeof *result);
    switch (mode) {
    case SHUFFLE_UP: memcpy(result + d, a, (LANES - d) * sizeof *result); return ALL_LANES << d;
    case SHUFFLE_DOWN: memcpy(result, a + d, (LANES - d) * sizeof *result); return ALL_LANES >> d;
    case SHUFFLE_BFLY:
        for (uint32_t l = 0; l < LANES; l++)
            result[l] = a[l ^ d];
        return ALL_LANES;
    default:
        for (uint32_t l = 0; l < LANES; l++)
            result[l] = a[d];
        return ALL_LANES;
    }
}

static bool is_uniform(const uint32_t *values)
{
    return memcmp(values, values + 1, (LANES - 1) * sizeof *values) == 0;
}

// A lane's result is undefined if the value that it reads is undefined (decode/undefined.c), or if its source lane is
// absent.
static void shuffle_shadows(struct warp *w, const struct insn *in, const uint32_t *b, const uint32_t *c,
                            uint32_t absent)
{
    const uint32_t *shadows = w->path->frame->code->lists + in->imm;
    uint32_t of = predicate(w, shadows[1]), result = absent;
    FOR_LANES(l, w->mask)
    {
        bool inside;
        result |= (of >> source_lane(in->sub, l, b[l], c[l], &inside) & 1) << l;
    }
    set_predicate(w, shadows[0], result);
}

// Lanes in one branch need not be active together, so a lane's source may be missing from the mask.
static void report_active_mask(struct warp *w, const struct insn *in)
{
    const struct module *m = w->block->launch->module;
    const struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(w->mask));
    if (settings()->check_sync && !ptx_in_toolkit(m->ptx, m->origins[in->id].ptx->loc))
        report_scene(w->block, &s, FINDING_SYNC, WARNING, in->id, NONE - 1,
                     "The shuffle at %s uses __activemask() as its mask, "
                     "which may miss lanes that run the same branch; compute it by __ballot_sync before the branch",
                     origin_place(m, in->id));
}

void op_shuffle(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    uint32_t result[LANES], inside = 0, absent = 0;
    if (!meet(w, in, places[2]))
        return;
    bool later = in->imm && w->block->launch->module->origins[in->id].maybe_unused; // reported where the value is used
    const uint32_t *a = row(w, in->a), *b = row(w, places[0]), *c = row(w, places[1]), *named = row(w, places[2]);
    if (in->scope > 1 || (in->scope && !all_lanes_named(w, named))) // 1: the mask may be the other one, of all lanes
        report_active_mask(w, in);
    uint32_t unclamped = in->sub == SHUFFLE_UP ? 0 : 31; // and there are no segments
    bool simple = all_lanes_named(w, named) && (c[0] & 0x1f1f) == unclamped && is_uniform(b) && is_uniform(c);
    if (simple)
        inside = shuffle_whole(in->sub, b[0], a, result);
    FOR_LANES(l, simple ? 0 : w->mask)
    {
        bool in_segment;
        uint32_t from = source_lane(in->sub, l, b[l], c[l], &in_segment);
        inside |= (uint32_t)in_segment << l;
        result[l] = w->mask & (named[l] | 1u << l) & 1u << from ? a[from] : 0; // undefined in PTX; an H200 gives 0
        absent |= (uint32_t)(!(w->mask & named[l] & 1u << from) && from != l) << l;
        if (absent >> l & 1 && !later)
            report_inactive(w, in, l, from);
    }
    if (in->imm)
        shuffle_shadows(w, in, b, c, later ? absent : 0);
    uint32_t *d = row(w, in->dst);
    if (w->mask == ALL_LANES)
        memcpy(d, result, sizeof result);
    else
        FOR_LANES(l, w->mask)
    d[l] = result[l];
    if (in->b != NONE)
        set_predicate(w, in->b, inside);
    finish_meeting(w, in);
}

// ---- votes, matches, reductions: per group of lanes with the same mask

// Calls compute for every group of active lanes that name the same mask.
typedef void group_function(struct warp *w, const struct insn *in, uint32_t group);

static void each_group(struct warp *w, const struct insn *in, const uint32_t *named, group_function *compute)
{
    uint32_t left = w->mask;
    if (all_lanes_named(w, named)) {
        compute(w, in, ALL_LANES);
        return;
    }
    while (left) {
        uint32_t mask = named[__builtin_ctz(left)], group = 0;
        FOR_LANES(l, left)
        group |= (uint32_t)(named[l] == mask) << l;
        compute(w, in, group);
        left &= ~group;
    }
}

// Sets predicate or row lanes of a group, whatever the active lanes.
static void set_group_predicate(struct warp *w, uint32_t place, uint32_t group, bool value)
{
    uint32_t *p = row(w, place);
    *p = value ? *p | group : *p & ~group;
}

static void set_group_row(struct warp *w, uint32_t place, uint32_t group, uint32_t value)
{
    uint32_t *d = row(w, place);
    FOR_LANES(l, group)
    d[l] = value;
}

static void vote_group(struct warp *w, const struct insn *in, uint32_t group)
{
    uint32_t bits = predicate(w, in->a);
    bits = (in->sub & NEGATE_A ? ~bits : bits) & group;
    switch ((enum vote)(in->sub & 15)) {
    case VOTE_ALL: set_group_predicate(w, in->dst, group, bits == group); break;
    case VOTE_ANY: set_group_predicate(w, in->dst, group, bits != 0); break;
    case VOTE_UNI: set_group_predicate(w, in->dst, group, bits == group || !bits); break;
    case VOTE_BALLOT: set_group_row(w, in->dst, group, bits); break;
    }
}

void op_vote(struct warp *w, const struct insn *in)
{
    if (!meet(w, in, in->b))
        return;
    each_group(w, in, row(w, in->b), vote_group);
    finish_meeting(w, in);
}

static void match_group(struct warp *w, const struct insn *in, uint32_t group)
{
    const uint8_t *a = row(w, in->a);
    uint32_t *d = row(w, in->dst), all = w->path->frame->code->lists[in->target], same[LANES];
    uint64_t value[LANES] = {0};
    FOR_LANES(l, group)
    memcpy(&value[l], a + l * in->size, in->size);
    for (uint32_t left = group; left; left &= ~same[__builtin_ctz(left)]) {
        uint32_t first = (uint32_t)__builtin_ctz(left), equal = 0;
        for (uint32_t l = 0; l < LANES; l++)
            equal |= (uint32_t)(value[l] == value[first]) << l;
        FOR_LANES(l, equal & group)
        same[l] = equal & group;
    }
    bool everyone = same[__builtin_ctz(group)] == group;
    FOR_LANES(l, group)
    d[l] = in->sub ? (everyone ? group : 0) : same[l];
    if (all != NONE)
        set_group_predicate(w, all, group, everyone);
}

void op_match(struct warp *w, const struct insn *in)
{
    if (!meet(w, in, in->b))
        return;
    each_group(w, in, row(w, in->b), match_group);
    finish_meeting(w, in);
}

static uint32_t reduce_two(enum atomic_op op, uint32_t a, uint32_t b, bool is_signed)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case ATOM_ADD: return a + b;
    case ATOM_MIN: return less ? a : b;
    case ATOM_MAX: return less ? b : a;
    case ATOM_AND: return a & b;
    case ATOM_OR: return a | b;
    default: return a ^ b;
    }
}

static void redux_group(struct warp *w, const struct insn *in, uint32_t group)
{
    const uint32_t *a = row(w, in->a);
    uint32_t first = (uint32_t)__builtin_ctz(group), value = a[first];
    FOR_LANES(l, group & (group - 1))
    value = reduce_two(in->sub, value, a[l], in->count);
    set_group_row(w, in->dst, group, value);
}

void op_redux(struct warp *w, const struct insn *in)
{
    if (!meet(w, in, in->b))
        return;
    each_group(w, in, row(w, in->b), redux_group);
    finish_meeting(w, in);
}

static void elect_group(struct warp *w, const struct insn *in, uint32_t group)
{
    uint32_t leader = group & -group;
    set_group_row(w, in->dst, group, (uint32_t)__builtin_ctz(group));
    set_group_predicate(w, in->a, group, false);
    set_group_predicate(w, in->a, leader, true);
}

void op_elect(struct warp *w, const struct insn *in)
{
    if (!meet(w, in, in->b))
        return;
    each_group(w, in, row(w, in->b), elect_group);
    finish_meeting(w, in);
}

// In a random order lanes of one path may arrive here in two parts: PTX does not promise that they stay together, not
// even after a __syncwarp.
void op_activemask(struct warp *w, const struct insn *in)
{
    uint32_t part = w->mask;
    if (w->block->launch->schedule == SCHEDULE_RANDOM)
        part &= (uint32_t)random_bits(w->block->worker) | (uint32_t)random_bits(w->block->worker);
    set_group_row(w, in->dst, part, part);
    set_group_row(w, in->dst, w->mask & ~part, w->mask & ~part);
}

// ---- fences

void op_fence(struct warp *w, const struct insn *in)
{
    bool alone = in->scope == SCOPE_CLUSTER && w->block->launch->cluster_size == 1;
    NOTIFY(w->block->launch, fence, w, alone ? SCOPE_BLOCK : in->scope, in->sub);
    atomic_thread_fence(memory_order_seq_cst);
}

void op_sleep(struct warp *w, const struct insn *in)
{
    (void)in;
    warp_spins(w, true);
}
