// Paths and joins.
//
// A warp is a set of paths. At a divergent branch the running path splits in two, and both owe their lanes to a join at
// the branch's immediate post-dominator; when every expected lane has arrived there (or exited), they continue as one
// path. A stack of masks does the same, but here any path may run at any time: a path that spins is suspended when its
// budget is used up, and lanes that wait at a join for lanes that cannot arrive continue. So every lane makes progress
// whatever the others do, as PTX has promised since Volta.
#include "exec/warp.h"

#include <stdlib.h>
#include <string.h>

#include "exec/barrier.h"
#include "exec/pool.h"

#define BUDGET (INT64_C(1) << 13) // of a time slice, in instructions
#define PATIENCE 256              // age of a join at which its lanes stop waiting
#define SPIN_SLICES 8
// The budget of a spinning warp: two strong accesses, so that a failed compare-and-swap can succeed with the value that
// it has read.
#define SPIN_BUDGET (2 * STRONG_COST)

// Not inline: its callers rarely need it, and would have to save wide registers for it.
__attribute__((noinline)) void mask_to_row(uint32_t mask, int32_t *out)
{
    for (int l = 0; l < LANES; l++)
        out[l] = -(int32_t)(mask >> l & 1);
}

void path_select(struct warp *w, struct path *p)
{
    w->path = p;
    w->bank[0] = w->regs + p->frame->reg_base;
    w->bank[1] = p->frame->code->constants;
    w->blocks = p->frame->code->blocks;
    set_mask(w, p->mask);
}

// ---- joins

static struct join *add_join(struct warp *w, struct frame *frame, uint32_t block, uint32_t expected,
                             struct join *parent)
{
    struct join *j = pool_join(w->block->worker);
    *j = (struct join){.frame = frame, .block = block, .expected = expected, .parent = parent};
    j->next = w->joins;
    j->link = &w->joins;
    if (j->next)
        j->next->link = &j->next;
    w->joins = j;
    return j;
}

static void remove_join(struct warp *w, struct join *j)
{
    *j->link = j->next;
    if (j->next)
        j->next->link = j->link;
    if (j->owned)
        pool_return_frame(w->block->worker, j->owned);
    pool_return_join(w->block->worker, j);
}

static void remove_path(struct warp *w, struct path *p)
{
    uint32_t at = (uint32_t)(p - w->paths);
    w->path_count--;
    memmove(p, p + 1, (w->path_count - at) * sizeof *p);
    w->switched = true;
}

static struct path *add_path(struct warp *w, uint32_t mask, uint32_t block, struct frame *frame, struct join *join)
{
    struct path *p = &w->paths[w->path_count++];
    *p = (struct path){mask, block, PATH_RUNS, frame, join, NULL, 0};
    return p;
}

static bool at_join(const struct path *p, uint32_t block)
{
    return p->join && p->join->block == block && p->join->frame == p->frame;
}

// The lanes that wait at j continue from it; j is done if no other lane is expected.
static void release_join(struct warp *w, struct join *j)
{
    if (j->arrived)
        add_path(w, j->arrived, j->block, j->frame, j->parent);
    j->expected &= ~j->arrived;
    j->arrived = 0;
    if (!j->expected)
        remove_join(w, j);
}

void path_enter_join(struct warp *w, uint32_t block)
{
    struct path *p = w->path;
    if (block == NONE) {
        path_return(w);
        return;
    }
    p->block = block;
    while (at_join(p, block)) {
        struct join *j = p->join;
        j->arrived |= p->mask;
        if (j->arrived != j->expected) {
            remove_path(w, p);
            return;
        }
        p->mask = j->arrived;
        p->join = j->parent;
        remove_join(w, j);
        path_select(w, p);
    }
}

struct path *path_split(struct warp *w, uint32_t mask)
{
    struct path *p = w->path;
    p->mask &= ~mask;
    set_mask(w, p->mask);
    return add_path(w, mask, p->block, p->frame, p->join);
}

void path_diverge(struct warp *w, uint32_t taken, uint32_t target, uint32_t otherwise)
{
    struct path *p = w->path;
    uint32_t meet = current_block(w)->post_dominator, rest = p->mask & ~taken;
    if (meet != NONE && !at_join(p, meet))
        p->join = add_join(w, p->frame, meet, p->mask, p->join);
    bool swap = w->block->launch->schedule == SCHEDULE_REVERSE ||
                (w->block->launch->schedule == SCHEDULE_RANDOM && random_bits(w->block->worker) & 1);
    struct path *other = path_split(w, swap ? taken : rest);
    uint32_t here = swap ? otherwise : target, there = swap ? target : otherwise;
    if (at_join(other, there)) {
        other->join->arrived |= other->mask;
        w->path_count--; // the new path, which was added last
    } else if (there == NONE) {
        path_select(w, other);
        path_return(w);
        path_select(w, p); // p precedes other, so it has not moved
        w->switched = false;
    } else
        other->block = there;
    path_enter(w, here);
}

bool path_guard(struct warp *w, const struct insn *in)
{
    if (in->guard == NONE)
        return true;
    uint32_t pass = guard_lanes(w, in);
    w->block->worker->guard_lanes[in->id] += (uint64_t)__builtin_popcount(pass);
    if (pass == w->mask)
        return true;
    if (!pass) {
        path_enter(w, in->c);
        return false;
    }
    struct path *p = w->path;
    if (!at_join(p, in->c))
        p->join = add_join(w, p->frame, in->c, p->mask, p->join);
    p->join->arrived |= w->mask & ~pass;
    p->mask = pass;
    set_mask(w, pass);
    return true;
}

// ---- calls, returns, exits

void path_call(struct warp *w, const struct insn *in, const struct code *code)
{
    struct path *p = w->path;
    struct frame *caller = p->frame, *f = pool_frame(w->block->worker);
    const struct launch *launch = w->block->launch;
    *f = (struct frame){.code = code,
                        .depth = caller->depth + 1,
                        .call = in,
                        .parent = caller,
                        .reg_base = launch->code->reg_bytes + caller->depth * launch->reg_level + code->reg_offset,
                        .local_base = caller->local_base + caller->code->local_bytes};
    p->join = add_join(w, caller, in->c, p->mask, p->join);
    p->join->owned = f;
    f->join = p->join;
    p->frame = f;
    p->block = 0;
    path_select(w, p);
}

// Removes lanes from the joins from j up to (not including) end; joins that waited only for them continue.
static void forget_lanes(struct warp *w, uint32_t lanes, struct join *j, const struct join *end)
{
    while (j && j != end) {
        struct join *parent = j->parent;
        j->expected &= ~lanes;
        if (j->arrived == j->expected)
            release_join(w, j);
        j = parent;
    }
}

// Copies the lanes' return values from the callee's frame to the caller's variables.
static void pass_results(struct warp *w, const struct frame *from)
{
    const struct frame *to = from->parent;
    const struct ptx_function *f = from->code->ptx;
    uint32_t n = (uint32_t)(from->call->imm >> 32), at = from->code->ret_offset;
    const uint32_t *offsets = to->code->lists + from->call->target;
    for (uint32_t k = 0; k < n && k < (uint32_t)f->ret_count; k++) {
        FOR_LANES(l, w->mask)
        memcpy(frame_bytes(w, to, l) + offsets[k], frame_bytes(w, from, l) + at, f->rets[k].size);
        at += ((uint32_t)f->rets[k].size + 15) & ~15u;
    }
}

void path_return(struct warp *w)
{
    struct path *p = w->path;
    struct join *back = p->frame->join;
    if (!back) {
        path_exit(w);
        return;
    }
    pass_results(w, p->frame);
    forget_lanes(w, p->mask, p->join, back);
    p->frame = back->frame;
    p->join = back;
    path_select(w, p);
    path_enter(w, back->block);
}

// Makes lanes that wait for those of the running path test their condition again.
static void wake_warp_syncs(struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].state == PATH_AT_WARP_SYNC)
            w->paths[i].state = PATH_RUNS;
}

void path_exit(struct warp *w)
{
    struct path *p = w->path;
    uint32_t lanes = p->mask;
    struct join *join = p->join;
    w->alive &= ~lanes;
    w->block->exited += (uint32_t)__builtin_popcount(lanes);
    remove_path(w, p);
    forget_lanes(w, lanes, join, NULL);
    wake_warp_syncs(w);
}

void warp_drop_empty_paths(struct warp *w)
{
    uint32_t kept = 0, running = (uint32_t)(w->path - w->paths);
    for (uint32_t i = 0; i < w->path_count; i++) {
        if (!w->paths[i].mask)
            continue;
        if (i == running)
            w->path = &w->paths[kept];
        w->paths[kept++] = w->paths[i];
    }
    w->path_count = kept;
}

// ---- running

void warp_start(struct warp *w, uint32_t mask, struct frame *kernel)
{
    w->alive = w->first = mask;
    w->path_count = 0;
    w->joins = NULL;
    w->at_barrier = w->arrived = w->spinning = w->copies = w->multiplies = false;
    w->cluster_arrived = w->cluster_open = 0;
    memset(w->polled_set, 0, sizeof w->polled_set);
    w->path = add_path(w, mask, 0, kernel, NULL);
}

void warp_abandon(struct warp *w)
{
    while (w->joins)
        remove_join(w, w->joins);
    w->path_count = 0;
}

bool warp_release_joins(struct warp *w)
{
    bool any = false;
    for (struct join *j = w->joins, *next; j; j = next) {
        next = j->next;
        any |= j->arrived != 0;
        if (j->arrived)
            release_join(w, j);
    }
    return any;
}

// The path to run: the one split off last, which is nearest to its join; after a used-up budget, the one that last ran
// longest ago. NULL if all wait.
static struct path *choose_path(struct warp *w, bool random)
{
    if (random && w->path_count > 1) {
        uint32_t start = random_bits(w->block->worker) % w->path_count;
        for (uint32_t i = 0; i < w->path_count; i++)
            if (path_runnable(&w->paths[(start + i) % w->path_count]))
                return &w->paths[(start + i) % w->path_count];
        return NULL;
    }
    for (uint32_t i = w->path_count; i-- > 0;)
        if (path_runnable(&w->paths[i]))
            return &w->paths[i];
    return NULL;
}

// As on a GPU, lanes keep waiting at a join unless the other lanes may be spinning on them. They stop after SPIN_SLICES
// time slices of spinning, or after very many others.
static void check_progress(struct warp *w)
{
    for (struct join *j = w->joins, *next; j; j = next) {
        next = j->next;
        if (j->arrived)
            j->age += w->spinning ? PATIENCE / SPIN_SLICES : 1;
        if (j->age >= PATIENCE)
            release_join(w, j);
    }
}

// The running path has used its budget: the warp's other paths run first.
static void rotate(struct warp *w)
{
    struct path spent = *w->path;
    remove_path(w, w->path);
    memmove(w->paths + 1, w->paths, w->path_count * sizeof *w->paths);
    w->paths[0] = spent;
    w->path_count++;
}

static void run_path(struct warp *w)
{
    struct worker *k = w->block->worker;
    w->switched = false;
    if (w->path->state == PATH_ENTERS) {
        w->path->state = PATH_RUNS;
        path_enter(w, w->path->block);
    }
    while (!w->switched && w->budget > 0) {
        const struct basic_block *b = current_block(w);
        struct block_count *count = &k->runs[b->id];
        count->warps++;
        count->lanes += (uint64_t)__builtin_popcount(w->mask);
        w->budget -= b->length;
        w->block->issued += b->length;
        const struct insn *in = b->first, *end = b->last;
        do
            in->run(w, in);
        while (++in < end);
    }
    k->longest = w->block->issued > k->longest ? w->block->issued : k->longest;
}

void warp_run(struct warp *w)
{
    bool random = w->block->launch->schedule == SCHEDULE_RANDOM;
    int64_t budget = random ? 1 + random_bits(w->block->worker) % 256 : w->spinning ? SPIN_BUDGET : BUDGET;
    bool selected = w->arrived; // after the barrier the same path continues
    w->arrived = w->polled_new = false;
    w->spins = 0;
    w->budget = budget;
    for (;; selected = false) {
        struct path *p = selected ? w->path : choose_path(w, random);
        if (!p)
            return;
        if (!selected)
            path_select(w, p);
        run_path(w);
        if (w->arrived)
            return;
        if (w->switched)
            continue;
        w->spinning = w->spins * STRONG_COST >= budget / 2 && !w->polled_new;
        check_progress(w);
        if (!random)
            rotate(w);
        else if (random_bits(w->block->worker) % 1024 == 0)
            warp_release_joins(w);
        return;
    }
}

const struct basic_block *warp_next(struct warp *w)
{
    struct path *p = choose_path(w, false);
    if (!p)
        return NULL;
    path_select(w, p);
    w->arrived = false; // after a barrier, not the path that reached it but another may run
    return current_block(w);
}

void warp_step(struct warp *w)
{
    w->budget = 1;
    run_path(w);
}

void warp_rotate(struct warp *w)
{
    struct path *p = choose_path(w, false);
    if (!p)
        return;
    path_select(w, p);
    rotate(w);
}

static inline void pass_barrier(struct path *p)
{
    p->block = p->waits_at->c;
    p->state = p->join || p->block == NONE ? PATH_ENTERS : PATH_RUNS;
}

static __attribute__((noinline)) void pass_barrier_in_parts(struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++) {
        struct path *p = &w->paths[i];
        if (p->state != PATH_AT_BARRIER)
            continue;
        if (barrier_gives(p->waits_at)) {
            path_select(w, p);
            barrier_result(w, p->waits_at);
        }
        pass_barrier(p);
    }
}

void warp_pass_barrier(struct warp *w)
{
    w->at_barrier = false;
    if (w->arrived)
        pass_barrier(w->path);
    else
        pass_barrier_in_parts(w);
}

uint32_t warp_pass(struct warp *w, enum path_state state)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].state == state) {
            lanes |= w->paths[i].mask;
            pass_barrier(&w->paths[i]);
        }
    return lanes;
}
