// Blocks. Warps run one after another on the block's host thread; a warp that waits at a barrier yields.
#include "exec/block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/async.h"
#include "exec/barrier.h"
#include "exec/bulk.h"
#include "exec/cluster.h"
#include "exec/deadlock.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/nested.h"
#include "exec/warp.h"
#include "exec/warpgroup.h"
#include "memory/memory.h"
#include "report/settings.h"

// ---- memory of a block

// The warps, then the observers' state of the block and of each warp, then all registers, then all local variables.
static uint64_t block_bytes(const struct launch *launch)
{
    uint64_t warp = sizeof(struct warp) + launch->state_bytes[OF_WARP] + launch->reg_stride +
                    (uint64_t)launch->local_stride * LANES;
    return launch->warps_per_block * warp + launch->state_bytes[OF_BLOCK] + 64;
}

// Shared memory that other blocks may reach lies in the arena, where the checks distinguish blocks. Later launches
// reuse it: the arena numbers each allocation, and the numbers run out.
#define ARENA_UNIT 4096

struct kept {
    uint8_t *at;
    uint32_t size;
    int device;
};

static struct {
    pthread_mutex_t lock;
    struct kept *list;
    uint32_t count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t arena_size(const struct launch *launch)
{
    return align_up(shared_size(launch) + 64u, ARENA_UNIT);
}

static uint8_t *take_kept(uint32_t size, int device)
{
    uint8_t *at = NULL;
    pthread_mutex_lock(&kept.lock);
    for (uint32_t i = 0; i < kept.count && !at; i++)
        if (kept.list[i].size == size && kept.list[i].device == device) {
            at = kept.list[i].at;
            kept.list[i] = kept.list[--kept.count];
        }
    pthread_mutex_unlock(&kept.lock);
    return at;
}

static uint8_t *open_in_arena(const struct launch *launch)
{
    uint32_t size = arena_size(launch);
    uint8_t *at = take_kept(size, launch->device);
    struct allocation *a = at ? NULL : memory_alloc(size, MEMORY_VARIABLE, launch->device);
    if (!at && !a)
        alloc_failed(size);
    return at ? at : (uint8_t *)(uintptr_t)a->base;
}

static void close_shared(struct block *b)
{
    if (!b->launch->clustered) {
        free(b->shared);
        return;
    }
    pthread_mutex_lock(&kept.lock);
    kept.list = alloc_resize(kept.list, kept.count + 1u, sizeof *kept.list);
    kept.list[kept.count++] = (struct kept){b->shared, arena_size(b->launch), b->launch->device};
    pthread_mutex_unlock(&kept.lock);
}

struct block *block_open(struct worker *k)
{
    struct launch *launch = k->launch;
    struct block *b = alloc_zeroed(1, sizeof *b);
    b->launch = launch;
    b->worker = k;
    b->warp_count = launch->warps_per_block;
    b->thread_count = launch->threads_per_block;
    b->shared = launch->clustered ? open_in_arena(launch) : alloc_aligned(64, shared_size(launch) + 64u);
    b->warps = alloc_cached(block_bytes(launch));
    b->state = (uint8_t *)(b->warps + b->warp_count);
    uint8_t *state = b->state + launch->state_bytes[OF_BLOCK];
    uint8_t *regs = state + (uint64_t)launch->state_bytes[OF_WARP] * b->warp_count;
    uint8_t *local = regs + (uint64_t)launch->reg_stride * b->warp_count;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        w->block = b;
        w->index = i;
        w->state = state + (uint64_t)i * launch->state_bytes[OF_WARP];
        w->regs = regs + (uint64_t)i * launch->reg_stride;
        w->local = local + (uint64_t)i * launch->local_stride * LANES;
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t t = i * LANES + l;
            w->tid[0][l] = t % launch->dim[0];
            w->tid[1][l] = t / launch->dim[0] % launch->dim[1];
            w->tid[2][l] = t / launch->dim[0] / launch->dim[1];
        }
    }
    return b;
}

void block_close(struct block *b)
{
    NOTIFY(b->launch, block_close, b);
    for (uint32_t i = 0; i < b->warp_count; i++)
        async_free(&b->warps[i]);
    warpgroups_free(b);
    mbarriers_forget(b);
    free_cached(b->warps, block_bytes(b->launch));
    close_shared(b);
    free(b);
}

void block_start(struct block *b, uint64_t number)
{
    const struct launch *launch = b->launch;
    b->kernel = (struct frame){.code = launch->code};
    b->number = number;
    b->id[0] = (uint32_t)(number % launch->grid[0]);
    b->id[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    b->id[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
    b->exited = b->slices = 0;
    b->cut_off = b->held = b->last_ticket = false;
    b->tickets = 0;
    b->issued = b->products = 0;
    b->spare_registers = 0;
    b->waits = 0;
    b->passed_barrier = false;
    b->live = b->runnable = b->warp_count == MAX_WARPS ? ALL_LANES : (1u << b->warp_count) - 1;
    memset(b->barriers, 0, sizeof b->barriers);
    warpgroups_free(b);
    mbarriers_forget(b);
    memset(b->shared, 0xa5, shared_size(launch));
    for (uint32_t i = 0; i < b->warp_count; i++) {
        uint32_t left = b->thread_count - i * LANES;
        async_forget(&b->warps[i]);
        warp_start(&b->warps[i], left >= LANES ? ALL_LANES : (1u << left) - 1, &b->kernel);
    }
    b->worker->blocks++;
    b->worker->warps += b->warp_count;
    NOTIFY(launch, block_start, b);
}

// ---- barriers

// Since Volta a barrier waits only for threads that have not exited, so threads without work may leave at once. A
// thread that has waited at a barrier and exits before the next one is reported.
static void report_absent(struct block *b, const struct insn *at)
{
    bool early = b->exited == b->exited_early;
    report(b, FINDING_SYNC, early ? INFORMATION : ERROR, at->id, NONE,
           early ? "%u of %u threads exited before the barrier at %s; it waits only for the rest"
                 : "Barrier error detected. Divergent thread(s) in block: "
                   "%u of %u threads exited before the barrier at %s, or bypassed it on another branch",
           b->exited, b->thread_count, origin_place(b->launch->module, at->id));
}

static void complete_barrier(struct block *b, struct barrier *bar)
{
    uint32_t waiting = bar->waiting;
    b->exited_early = b->passed_barrier ? b->exited_early : b->exited;
    b->passed_barrier = true;
    if (!bar->expected && b->exited && settings()->check_sync && waiting)
        report_absent(b, b->warps[__builtin_ctz(waiting)].paths[0].waits_at);
    NOTIFY(b->launch, block_sync, b, bar->warps);
    b->worker->barriers += !barrier_of_one_warp(b, bar);
    b->runnable |= waiting;
    FOR_LANES(i, waiting)
    warp_pass_barrier(&b->warps[i]);
    memset(bar, 0, sizeof *bar);
}

static bool barrier_complete(const struct block *b, const struct barrier *bar)
{
    if (bar->expected)
        return bar->threads >= bar->expected;
    return bar->waiting && (bar->waiting & b->live) == b->live;
}

// Threads of w have reached the barrier. waits: all live threads of w wait there. Inline, since the usual caller passes
// constants.
static inline void arrive(struct warp *w, struct barrier *bar, uint32_t expected, uint32_t threads, bool waits)
{
    struct block *b = w->block;
    bar->expected = expected;
    bar->threads += threads;
    bar->warps |= 1u << w->index;
    if (waits) {
        bar->waiting |= 1u << w->index;
        b->runnable &= ~(1u << w->index);
    }
    if (barrier_complete(b, bar))
        complete_barrier(b, bar);
}

// All live lanes of w have reached the barrier instruction `in`. For bar.arrive, only the running path has.
static void block_arrive(struct warp *w, const struct insn *in)
{
    uint32_t expected;
    struct barrier *bar = barrier_of(w, in, &expected);
    bool all = w->mask == w->alive || w->at_barrier;
    arrive(w, bar, expected, all ? LANES : (uint32_t)__builtin_popcount(w->mask), w->at_barrier);
}

void op_barrier(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    uint32_t threads, kind = in->sub & 15;
    if (kind == BARRIER_ARRIVE) {
        block_arrive(w, in);
        path_enter(w, in->c);
        return;
    }
    if (kind >= BARRIER_AND) {
        uint32_t place = w->path->frame->code->lists[in->target + 2], bits = predicate(w, place);
        struct barrier *bar = barrier_of(w, in, &threads);
        bits = (in->sub & NEGATE_A ? ~bits : bits) & w->mask;
        bar->true_count += (uint32_t)__builtin_popcount(bits);
        bar->lane_count += (uint32_t)__builtin_popcount(w->mask);
    }
    path_wait(w, in, PATH_AT_BARRIER);
}

// Fast path of op_barrier: all lanes of the warp reach a barrier of the whole block together.
void op_whole_barrier(struct warp *w, const struct insn *in)
{
    if (w->mask != w->first || in->guard != NONE) {
        op_barrier(w, in);
        return;
    }
    path_wait(w, in, PATH_AT_BARRIER);
    w->at_barrier = w->arrived = true;
    arrive(w, &w->block->barriers[in->imm], 0, LANES, true);
}

// ---- what a warp that stopped is doing

static bool all_at_barrier(const struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].state != PATH_AT_BARRIER)
            return false;
    return w->path_count > 0;
}

static bool any_runs(const struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (path_runnable(&w->paths[i]))
            return true;
    return false;
}

static uint32_t waiting_lanes(const struct warp *w)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->path_count; i++)
        lanes |= w->paths[i].mask;
    return lanes;
}

// The two barriers may be one in the source: nvcc unrolls loops and inlines functions.
static void report_divergent_barrier(struct warp *w, const struct path *a, const struct path *b)
{
    const struct module *m = w->block->launch->module;
    const char *place = origin_place(m, a->waits_at->id), *other = origin_place(m, b->waits_at->id);
    bool same = strcmp(place, other) == 0;
    struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(a->mask));
    s.past = (struct actor){w->block->number, w->index * LANES + (uint32_t)__builtin_ctz(b->mask), NULL};
    report_scene(w->block, &s, FINDING_SYNC, ERROR, a->waits_at->id, b->waits_at->id,
                 "Barrier error detected. Divergent thread(s) in warp: "
                 "%s waits at the barrier at %s, thread %u at %s%s",
                 thread_name(w->block, w->index * LANES + (uint32_t)__builtin_ctz(a->mask)), place,
                 w->index * LANES + (uint32_t)__builtin_ctz(b->mask),
                 same ? "another copy of that line, of another iteration or call" : "the one at ", same ? "" : other);
}

static void report_partial_barrier(struct warp *w, const struct path *a)
{
    report(w->block, FINDING_SYNC, ERROR, a->waits_at->id, NONE,
           "Barrier error detected. Divergent thread(s) in warp: "
           "%d of %d threads of warp %u exited before the barrier at %s, or passed it by on another branch",
           __builtin_popcount(w->first & ~w->alive), __builtin_popcount(w->first), w->index,
           origin_place(w->block->launch->module, a->waits_at->id));
}

// All live lanes of w are at barriers, which should be the same one: the warp arrives.
static void arrive_all(struct warp *w)
{
    const struct path *first = &w->paths[0];
    for (uint32_t i = 1; i < w->path_count; i++)
        if (w->paths[i].waits_at != first->waits_at && settings()->check_sync && w->paths[i].waits_at->order)
            report_divergent_barrier(w, first, &w->paths[i]);
    if (w->alive != w->first && settings()->check_sync && first->waits_at->order)
        report_partial_barrier(w, first);
    w->at_barrier = true;
    path_select(w, &w->paths[0]);
    block_arrive(w, first->waits_at);
}

// Whether lanes of w wait for the cluster. At an aligned barrier all lanes of a warp must wait at the same instruction.
static bool waits_for_cluster(struct warp *w)
{
    const struct path *first = NULL;
    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *p = &w->paths[i];
        if (p->state != PATH_AT_CLUSTER)
            continue;
        first = first ? first : p;
        if (p->waits_at != first->waits_at && p->waits_at->order && settings()->check_sync)
            report_divergent_barrier(w, first, p);
    }
    return first != NULL;
}

static bool waits_for_warpgroup(const struct warp *w)
{
    bool waits = false;
    for (uint32_t i = 0; i < w->path_count; i++)
        waits |= w->paths[i].state >= PATH_AT_PRODUCTS;
    return waits;
}

// w has stopped. True if it made progress: it reached a barrier or its end.
static bool settle(struct warp *w)
{
    struct block *b = w->block;
    if (!w->alive) {
        b->live &= ~(1u << w->index);
        b->runnable &= ~(1u << w->index);
        warpgroup_exit(w);
        for (uint32_t i = 0; i < BARRIERS && b->live & ~b->runnable; i++)
            if (b->barriers[i].waiting && barrier_complete(b, &b->barriers[i]))
                complete_barrier(b, &b->barriers[i]);
        return true;
    }
    if (any_runs(w))
        return false;
    if (waits_for_cluster(w) && waiting_lanes(w) == w->alive) {
        b->runnable &= ~(1u << w->index);
        cluster_check(b->cluster);
        return true;
    }
    if (waits_for_warpgroup(w)) {
        b->runnable &= ~(1u << w->index);
        return true;
    }
    if (all_at_barrier(w) && waiting_lanes(w) == w->alive) {
        arrive_all(w);
        return true;
    }
    if (warp_release_joins(w))
        return true;
    report_deadlock(b, "Lanes wait for one another forever");
    return true;
}

// ---- running

static uint32_t nth_warp(struct block *b, uint32_t n, uint32_t start)
{
    enum schedule s = b->launch->schedule;
    uint32_t i = n + start < b->warp_count ? n + start : n + start - b->warp_count;
    return s == SCHEDULE_REVERSE ? b->warp_count - 1 - i : i;
}

static void abandon(struct block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        warp_abandon(&b->warps[i]);
    b->live = 0;
}

bool block_polls(const struct block *b)
{
    uint32_t polling = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        polling |= (uint32_t)b->warps[i].spinning << i;
    return (b->runnable & ~polling) == 0;
}

void block_abandon(struct block *b)
{
    abandon(b);
    if (b->cluster->bulk) // the next block has the same memory
        bulk_block_end(b, true);
    NOTIFY(b->launch, block_end, b);
}

// The maximum number of rounds to the next barriers in a time slice.
static uint32_t rounds_per_slice(struct block *b)
{
    if (b->launch->schedule == SCHEDULE_STALL || b->launch->ready_time)
        return 1;
    return b->launch->schedule == SCHEDULE_RANDOM ? 1 + random_bits(b->worker) % SLICE_BARRIERS : SLICE_BARRIERS;
}

// Runs every warp that can continue for one time slice. False: none made progress.
static bool run_warps(struct block *b, uint32_t start)
{
    bool somewhere = false;
    for (uint32_t n = 0; n < b->warp_count && !block_failed(b); n++) {
        uint32_t i = nth_warp(b, n, start);
        if (!(b->runnable >> i & 1))
            continue;
        uint32_t alive = b->warps[i].alive;
        warp_run(&b->warps[i]);
        if (b->launch->clustered && b->warps[i].alive != alive)
            cluster_check(b->cluster);
        if (b->cluster->bulk)
            bulk_advance(b);
        somewhere |= b->warps[i].arrived || settle(&b->warps[i]);
    }
    return somewhere;
}

enum slice_end block_run(struct block *b)
{
    uint32_t most = rounds_per_slice(b);
    for (uint32_t rounds = 0; b->live; rounds++) {
        if (rounds == most)
            return SLICE_OVER;
        uint32_t start = b->launch->schedule == SCHEDULE_RANDOM ? random_bits(b->worker) % b->warp_count : 0;
        if (!b->runnable && cluster_can_continue(b))
            return rounds ? SLICE_OVER : SLICE_SPINS;
        if (!b->runnable && cluster_stopped(b->cluster)) {
            b->cut_off = true;
            block_abandon(b);
            return SLICE_DONE;
        }
        if (!b->runnable)
            report_deadlock(b, "The warps of the block wait at barriers that are not completed");
        bool somewhere = run_warps(b, start);
        if (block_failed(b)) {
            abandon(b);
            return SLICE_DONE;
        }
        if (!somewhere)
            return SLICE_SPINS;
    }
    nested_block_end(b);
    if (b->cluster->bulk)
        bulk_block_end(b, false);
    NOTIFY(b->launch, block_end, b);
    count_one(&b->worker->ended);
    return SLICE_DONE;
}
