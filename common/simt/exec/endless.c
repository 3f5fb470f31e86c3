// What cannot end:
//
//     a thread in code from which no way leads out of the kernel;
//     a warp that comes back to the same registers, local variables and places, and has read nothing else meanwhile;
//     a block whose warps all wait or come back so, and have read shared memory at most, and written nothing;
//     a block that comes back as a whole, its shared memory and barriers included;
//     a grid whose workers' blocks all come back so, none having written anything since they were looked at before.
//
// A warp is run on for a while, its state marked at steps 1, 2, 4, ... and compared at every step: Brent's search for
// cycles. One block is marked when it is looked at, and compared after each of its turns.
#include "exec/endless.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "exec/deadlock.h"
#include "exec/handlers.h"
#include "exec/warp.h"

#define STEPS 8192           // basic blocks of a warp at a look
#define ROUNDS_WEAK 64       // where a strong load gives an older value now and then, every other time at most
#define MOST_STATE (1 << 20) // bytes of a warp's local variables

// What a warp has done since its mark beyond its own registers and local variables.
enum {
    READS_SHARED = 1,
    READS_GLOBAL = 2,
    WRITES = 4, // either
    MEETS = 8,  // others of its block: at barriers, by atomics in shared memory
    MOVES = 16, // what may be another thing each time
};

struct mark {
    struct path paths[LANES];
    uint32_t path_count;
    uint8_t *registers, *local;
};

struct watch {
    uint64_t *seen;      // how often each basic block had run when the worker's blocks were last looked at
    struct block *next;  // to be marked after its next turn; NULL: none
    struct block *block; // that is marked; NULL: none
    struct mark *warps;
    struct barrier barriers[BARRIERS];
    uint8_t *shared;
    uint64_t *runs; // of each basic block, by the worker
    uint64_t issued; // instructions of the block until then: if it has run none since, it is there again for that
};

static size_t local_size(const struct warp *w)
{
    return (size_t)w->block->launch->local_stride * LANES;
}

static void set_mark(struct mark *m, const struct warp *w)
{
    m->path_count = w->path_count;
    memcpy(m->paths, w->paths, w->path_count * sizeof *w->paths);
    memcpy(m->registers, w->regs, w->block->launch->reg_stride);
    memcpy(m->local, w->local, local_size(w));
}

static bool is_there_again(const struct mark *m, const struct warp *w)
{
    if (m->path_count != w->path_count)
        return false;
    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *a = &m->paths[i], *b = &w->paths[i];
        if (a->mask != b->mask || a->block != b->block || a->state != b->state || a->frame != b->frame)
            return false;
    }
    return !memcmp(m->registers, w->regs, w->block->launch->reg_stride) && !memcmp(m->local, w->local, local_size(w));
}

static uint32_t load_does(const struct insn *in)
{
    if (in->space == PTX_LOCAL || in->space == PTX_PARAM || in->space == PTX_CONST || in->space == SPACE_FRAME)
        return 0;
    return in->space == PTX_SHARED ? READS_SHARED : READS_GLOBAL;
}

static const uint8_t does_by_opcode[OPCODES] = {
    [OP_st] = WRITES,     [OP_bar] = MEETS,  [OP_barrier] = MEETS,   [OP_atom] = MOVES, [OP_red] = MOVES,
    [OP_ldu] = MOVES,     [OP_tex] = MOVES,  [OP_tld4] = MOVES,      [OP_suld] = MOVES, [OP_sust] = MOVES,
    [OP_ldmatrix] = MOVES, [OP_wmma] = MOVES, [OP_stmatrix] = MOVES, [OP_cp] = MOVES,   [OP_mbarrier] = MOVES,
    [OP_call] = MOVES,    [OP_trap] = MOVES, [OP_brkpt] = MOVES,
};

static uint32_t insn_does(const struct insn *in)
{
    if (in->op == OP_ld)
        return load_does(in);
    if (in->op == OP_st && (in->space == PTX_LOCAL || in->space == PTX_PARAM || in->space == SPACE_FRAME))
        return 0;
    if ((in->op == OP_atom || in->op == OP_red) && in->space == PTX_SHARED)
        return MEETS;
    bool special = in->run == op_special || in->guarded == op_special;
    if (special && in->sub >= SPECIAL_CLOCK && in->sub <= SPECIAL_TIME)
        return MOVES;
    return does_by_opcode[in->op];
}

static uint32_t block_does(const struct basic_block *block)
{
    uint32_t does = 0;
    for (const struct insn *in = block->first; in < block->last; in++)
        does |= insn_does(in);
    return does;
}

// Runs the warp on until it comes back to where it was. What it has done on the way round; MOVES: it does not come
// back. 0 too if all its lanes wait.
static uint32_t go_round(struct warp *w, struct mark *m)
{
    uint32_t does = 0, left = 0;
    for (uint32_t step = 1, next_mark = 1; step <= STEPS; step++) {
        const struct basic_block *block = warp_next(w);
        if (!block)
            return 0;
        if (step == next_mark) {
            set_mark(m, w);
            next_mark *= 2;
            does = 0;
            left = w->block->launch->weak ? ROUNDS_WEAK : 1;
        }
        does |= block_does(block);
        if (does & (MEETS | MOVES))
            return MOVES;
        warp_step(w);
        if (is_there_again(m, w) && --left == 0)
            return does;
    }
    return MOVES;
}

static bool is_waiting(const struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (path_runnable(&w->paths[i]))
            return false;
    return true;
}

static const struct path *path_without_end(const struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].frame->code->blocks[w->paths[i].block].endless)
            return &w->paths[i];
    return NULL;
}

// Whether lanes wait for others to come where they part: they are let go some time.
static bool holds_lanes(const struct warp *w)
{
    for (const struct join *j = w->joins; j; j = j->next)
        if (j->arrived)
            return true;
    return false;
}

// What the warps of the block do that do not wait. MOVES: not all of them come back. Reports one that does whatever the
// others do.
static uint32_t block_goes_round(struct block *b, struct mark *m)
{
    uint32_t does = 0;
    for (uint32_t i = 0; i < b->warp_count && !block_failed(b); i++) {
        struct warp *w = &b->warps[i];
        if (is_waiting(w))
            continue;
        uint32_t here = go_round(w, m);
        if (!(here & ~WRITES) && !is_waiting(w))
            report_endless(w, w->path, "in which nothing changes");
        does |= here | (w->async || holds_lanes(w) ? MOVES : 0);
    }
    return does;
}

static bool report_no_way_out(const struct block *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        const struct path *p = path_without_end(w);
        if (p)
            report_endless(w, p, "that has no way out");
        if (p)
            return true;
    }
    return false;
}

bool endless_scan(struct block *const *blocks, const bool *running, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (running[i] && report_no_way_out(blocks[i]))
            return true;
    return false;
}

static void open_mark(struct mark *m, const struct warp *w)
{
    m->registers = alloc_more(NULL, 1, w->block->launch->reg_stride + 1u);
    m->local = alloc_more(NULL, 1, local_size(w) + 1);
}

static void close_mark(struct mark *m)
{
    free(m->registers);
    free(m->local);
}

// What the block's warps do that do not wait; MOVES: they go on, or nobody knows. Reports the block if it cannot
// end, whatever others do.
static uint32_t look_at(struct block *b)
{
    struct mark m;
    if (b->held || b->launch->goes_on || local_size(&b->warps[0]) > MOST_STATE)
        return MOVES;
    open_mark(&m, &b->warps[0]);
    uint32_t does = block_goes_round(b, &m);
    close_mark(&m);
    if (does == READS_SHARED && !block_failed(b))
        report_deadlock(b, "The kernel does not end: " ALL_STUCK);
    return does;
}

// ---- a block as a whole

static uint64_t *runs_now(const struct block *b)
{
    uint32_t count = b->launch->module->block_count;
    uint64_t *runs = alloc_more(NULL, count + 1u, sizeof *runs);
    for (uint32_t i = 0; i < count; i++)
        runs[i] = b->worker->runs[i].warps;
    return runs;
}

static void forget_block(struct watch *watch)
{
    for (uint32_t i = 0; watch->block && i < watch->block->warp_count; i++)
        close_mark(&watch->warps[i]);
    free(watch->warps);
    free(watch->shared);
    free(watch->runs);
    *watch = (struct watch){.seen = watch->seen};
}

void endless_close(struct watch *watch)
{
    if (!watch)
        return;
    forget_block(watch);
    free(watch->seen);
    free(watch);
}

static void mark_block(struct watch *watch, struct block *b)
{
    watch->next = NULL;
    watch->block = b;
    watch->warps = alloc_zeroed(b->warp_count, sizeof *watch->warps);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        open_mark(&watch->warps[i], &b->warps[i]);
        set_mark(&watch->warps[i], &b->warps[i]);
    }
    memcpy(watch->barriers, b->barriers, sizeof b->barriers);
    watch->shared = alloc_more(NULL, 1, shared_size(b->launch) + 1u);
    memcpy(watch->shared, b->shared, shared_size(b->launch));
    watch->runs = runs_now(b);
    watch->issued = b->issued;
}

static bool block_is_there_again(const struct watch *watch)
{
    const struct block *b = watch->block;
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (!is_there_again(&watch->warps[i], &b->warps[i]) || b->warps[i].async || holds_lanes(&b->warps[i]))
            return false;
    return !memcmp(watch->barriers, b->barriers, sizeof b->barriers) &&
           !memcmp(watch->shared, b->shared, shared_size(b->launch));
}

// What the worker of b has done since its basic blocks had run so often.
static uint32_t done_since(const struct block *b, const uint64_t *runs)
{
    const struct module *m = b->launch->module;
    uint32_t does = 0;
    for (int f = 0; f < m->ptx->func_count; f++)
        for (uint32_t i = 0; m->codes[f] && i < m->codes[f]->block_count; i++) {
            const struct basic_block *block = &m->codes[f]->blocks[i];
            if (b->worker->runs[block->id].warps != runs[block->id])
                does |= block_does(block);
        }
    return does;
}

void endless_compare(struct watch *watch)
{
    struct block *b = watch ? watch->block : NULL;
    if (watch && watch->next)
        mark_block(watch, watch->next);
    if (!b || !b->live || b->issued == watch->issued || !block_is_there_again(watch))
        return;
    uint32_t does = done_since(b, watch->runs);
    if (does && !(does & (READS_GLOBAL | MOVES)))
        report_deadlock(b, "The kernel does not end: " ALL_STUCK);
}

// ---- the grid

// None of the workers has written anything since `quiet`, and all have come back since then.
static bool grid_stands_still(const struct worker *k)
{
    const struct worker *all = k - k->index;
    double quiet = 0;
    for (uint32_t i = 0; i < k->launch->worker_count; i++) {
        double since = atomic_load(&all[i].quiet_since);
        quiet = since > quiet ? since : quiet;
    }
    for (uint32_t i = 0; i < k->launch->worker_count; i++)
        if (atomic_load(&all[i].back_at) <= quiet)
            return false;
    return !k->launch->beside && !k->launch->sampled;
}

// The worker of b was looked at from `begin` on; does: what its blocks do, MOVES if more can start.
static void note_look(struct watch *watch, struct block *b, double begin, uint32_t does)
{
    struct worker *k = b->worker;
    uint32_t before = watch->seen ? done_since(b, watch->seen) : MOVES;
    free(watch->seen);
    watch->seen = runs_now(b);
    if ((does | before) & (WRITES | MEETS | MOVES))
        atomic_store(&k->quiet_since, begin);
    atomic_store(&k->back_at, does & (WRITES | MOVES) ? 0 : begin);
}

bool endless_look(struct watch **watch, struct block *const *blocks, const bool *running, uint32_t count, bool full)
{
    struct block *last = NULL;
    double begin = clock_seconds(CLOCK_MONOTONIC);
    uint32_t does = full ? 0 : MOVES;
    for (uint32_t i = 0; i < count; i++) {
        if (!running[i])
            continue;
        does |= look_at(blocks[i]);
        if (block_failed(blocks[i]))
            return false;
        last = blocks[i];
    }
    if (!last)
        return false;
    *watch = *watch ? *watch : alloc_zeroed(1, sizeof **watch);
    forget_block(*watch);
    (*watch)->next = last->launch->schedule == SCHEDULE_RANDOM ? NULL : last; // there turns are of any length
    note_look(*watch, last, begin, does);
    return grid_stands_still(last->worker);
}
