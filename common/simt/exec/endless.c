// What cannot end:
//
//     a thread in code from which no path leads to the kernel's exit;
//     a path of a warp that returns to the same registers, local variables and instruction, and has read nothing else;
//     a block whose paths all wait or return in this way, have read shared memory at most, and have written nothing;
//     a block that returns as a whole, its shared memory and barriers included;
//     a grid whose workers' blocks all return in this way while nothing writes and no other block can start.
//
// An atomic that leaves the value that it found, a compare-and-swap that fails or a test of an mbarrier, is a read: it
// has the same result as long as memory stays the same (worker->changes counts the other atomics). So is a store of the
// value that memory already holds (worker->stored counts the other stores, from the first check on). Clocks that affect
// only sleeps (idle_clock.c) are frozen during a check, since their value makes no difference.
//
// Each is a proof. The check runs a warp on for a while, marks its state at steps 1, 2, 4, ..., and compares it at
// every step: Brent's search for cycles. It marks one block when it checks it, and compares it after each of its time
// slices.
//
// The grid. Host threads work while another one checks, so the workers' checks are ordered by a clock that ticks at
// both ends of each check (launch->check_clock). A worker publishes when its last check began in which all its blocks
// returned to their marks and no further block could start (returned_at), and a time by which its last write had been
// made (written_by). The grid is stuck if every returned_at is later than every written_by. Proof: let t be the first
// time after these checks at which any worker writes or ends a block. Memory was the same from the last written_by
// until t, so that worker's check saw what its blocks saw until t, and they were looping without a write. A block that
// starts invalidates its worker's returned_at. A worker writes written_by before returned_at, and the two are read in
// reverse order, so a check in between cannot mix them.
#include "exec/endless.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "exec/deadlock.h"
#include "exec/handlers.h"
#include "exec/warp.h"

#define STEPS 8192          // basic blocks of a warp in a check
#define MAX_STATE (1 << 20) // bytes of a warp's local variables

// What a warp has accessed since its mark, its own registers and local variables aside.
enum {
    READS_SHARED = 1,
    READS_GLOBAL = 2,
    WRITES = 4,       // shared or global memory, or it may write
    SYNCHRONIZES = 8, // with other warps of its block: at barriers, by atomics in shared memory
    MOVES = 16,       // an instruction may return another result each time
    STORES = 32,      // it writes if worker->stored says so
};

// Special values of returned_at.
enum { NOT_RETURNED = 0 };   // one of its blocks continues, or another one may start
#define NO_BLOCKS UINT64_MAX // it has no block, and cannot get one before another worker's block ends

struct mark {
    struct path paths[LANES];
    uint32_t path_count;
    uint8_t *registers, *local;
};

struct watch {
    uint64_t *seen;      // how often each basic block had run at the last inspection of the worker's blocks
    uint64_t changes;    // then: atomics that had changed memory
    uint64_t stored;     // then: stores that had
    struct block *next;  // the block to mark after its next time slice; NULL: none
    struct block *block; // the marked block; NULL: none
    struct mark *warps;
    struct barrier barriers[BARRIERS];
    uint8_t *shared;
    uint64_t *runs;  // how often the worker has run each basic block
    uint64_t issued; // instructions of the block by then: if it has run none since, of course it matches
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

static bool has_returned(const struct mark *m, const struct warp *w)
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
    [OP_st] = WRITES,      [OP_bar] = SYNCHRONIZES, [OP_barrier] = SYNCHRONIZES, [OP_ldu] = MOVES,
    [OP_tex] = MOVES,      [OP_tld4] = MOVES,       [OP_suld] = MOVES,           [OP_sust] = MOVES,
    [OP_ldmatrix] = MOVES, [OP_wmma] = MOVES,       [OP_stmatrix] = MOVES,       [OP_cp] = MOVES,
    [OP_call] = MOVES,     [OP_trap] = MOVES,       [OP_brkpt] = MOVES,          [OP_wgmma] = MOVES,
};

static uint32_t insn_does(const struct insn *in)
{
    if (in->op == OP_ld)
        return load_does(in);
    if (in->op == OP_st && (in->space == PTX_LOCAL || in->space == PTX_PARAM || in->space == SPACE_FRAME))
        return 0;
    if (in->run == op_store || in->guarded == op_store || in->run == op_store_row || in->guarded == op_store_row)
        return STORES;
    if (in->op == OP_atom || in->op == OP_red || in->op == OP_mbarrier) // worker->changes shows whether it writes
        return load_does(in);
    bool special = in->run == op_special || in->guarded == op_special;
    if (special && in->sub >= SPECIAL_CLOCK && in->sub <= SPECIAL_TIME && !in->idle)
        return MOVES;
    return does_by_opcode[in->op];
}

static uint32_t block_effects(const struct basic_block *block)
{
    uint32_t does = 0;
    for (const struct insn *in = block->first; in < block->last; in++)
        does |= insn_does(in);
    return does;
}

// Runs a path of the warp until its state repeats and every load in between returned the newest value. Returns the
// loop's effects, and WRITES if the path has written at all; MOVES: no such loop was found.
static uint32_t go_round(struct warp *w, struct mark *m)
{
    struct worker *k = w->block->worker;
    uint32_t does = 0, wrote = 0;
    uint64_t older = 0, changes = k->changes, stored = k->stored;
    k->compares = true;
    bool marks = true; // try again: this state depends on an older value
    for (uint32_t step = 1, next_mark = 1; step <= STEPS; step++) {
        const struct basic_block *block = warp_next(w);
        if (!block) // the path has ended, or waits for others
            return MOVES;
        if (marks || step == next_mark) {
            set_mark(m, w);
            next_mark *= step == next_mark ? 2 : 1;
            does = 0;
            older = k->older;
            marks = false;
        }
        does |= block_effects(block);
        wrote |= does & WRITES;
        if (does & (SYNCHRONIZES | MOVES))
            return MOVES;
        warp_step(w);
        if (k->changes != changes)
            return MOVES;
        wrote |= k->stored != stored ? WRITES : 0;
        bool again = has_returned(m, w);
        if (again && k->older == older)
            return (does & ~(uint32_t)STORES) | wrote;
        marks = again;
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

// Whether lanes wait at a join for others: they are released in the end.
static bool holds_lanes(const struct warp *w)
{
    for (const struct join *j = w->joins; j; j = j->next)
        if (j->arrived)
            return true;
    return false;
}

static uint32_t runnable_paths(const struct warp *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->path_count; i++)
        count += path_runnable(&w->paths[i]);
    return count;
}

// What the warp's running paths have done. MOVES: not all of them return to their mark. Reports a path that loops
// forever, whatever the others do.
static uint32_t warp_loops(struct warp *w, struct mark *m)
{
    uint32_t does = w->async || holds_lanes(w) ? MOVES : 0, count = runnable_paths(w);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t here = go_round(w, m);
        does |= here;
        if (!(here & ~WRITES)) {
            report_endless(w, w->path, "in which nothing changes");
            return does;
        }
        if (here & MOVES || runnable_paths(w) > count)
            return does | MOVES;
        warp_rotate(w);
    }
    return does;
}

// The same for all warps of the block.
static uint32_t block_loops(struct block *b, struct mark *m)
{
    uint32_t does = 0;
    for (uint32_t i = 0; i < b->warp_count && !block_failed(b); i++)
        if (!is_waiting(&b->warps[i]))
            does |= warp_loops(&b->warps[i], m);
    return does;
}

static bool report_endless_block(const struct block *b)
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
        if (running[i] && report_endless_block(blocks[i]))
            return true;
    return false;
}

static void open_mark(struct mark *m, const struct warp *w)
{
    m->registers = alloc_resize(NULL, 1, w->block->launch->reg_stride + 1u);
    m->local = alloc_resize(NULL, 1, local_size(w) + 1);
}

static void close_mark(struct mark *m)
{
    free(m->registers);
    free(m->local);
}

// Classifies the block's running warps; MOVES: they make progress, or may. Reports the block if it cannot end whatever
// other blocks do.
static uint32_t check_block(struct block *b)
{
    struct mark m;
    if (b->held || b->launch->ready_time || local_size(&b->warps[0]) > MAX_STATE)
        return MOVES;
    open_mark(&m, &b->warps[0]);
    b->worker->stopped = clock_nanoseconds(CLOCK_MONOTONIC);
    uint32_t does = block_loops(b, &m);
    b->worker->stopped = 0;
    close_mark(&m);
    if (does == READS_SHARED && !block_failed(b) && !b->launch->clustered)
        report_deadlock(b, "The kernel does not end: " ALL_STUCK);
    return does;
}

// ---- a block as a whole

static uint64_t *runs_now(const struct block *b)
{
    uint32_t count = b->launch->module->block_count;
    uint64_t *runs = alloc_resize(NULL, count + 1u, sizeof *runs);
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
    *watch = (struct watch){.seen = watch->seen, .changes = watch->changes, .stored = watch->stored};
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
    watch->shared = alloc_resize(NULL, 1, shared_size(b->launch) + 1u);
    memcpy(watch->shared, b->shared, shared_size(b->launch));
    watch->runs = runs_now(b);
    watch->issued = b->issued;
}

static bool block_has_returned(const struct watch *watch)
{
    const struct block *b = watch->block;
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (!has_returned(&watch->warps[i], &b->warps[i]) || b->warps[i].async || holds_lanes(&b->warps[i]))
            return false;
    return !memcmp(watch->barriers, b->barriers, sizeof b->barriers) &&
           !memcmp(watch->shared, b->shared, shared_size(b->launch));
}

// The effects of b's worker since these counts of its basic blocks.
static uint32_t done_since(const struct block *b, const uint64_t *runs)
{
    const struct module *m = b->launch->module;
    uint32_t does = 0;
    for (int f = 0; f < m->ptx->func_count; f++)
        for (uint32_t i = 0; m->codes[f] && i < m->codes[f]->block_count; i++) {
            const struct basic_block *block = &m->codes[f]->blocks[i];
            if (b->worker->runs[block->id].warps != runs[block->id])
                does |= block_effects(block);
        }
    return does;
}

void endless_compare(struct watch *watch)
{
    struct block *b = watch ? watch->block : NULL;
    if (watch && watch->next)
        mark_block(watch, watch->next);
    if (!b || !b->live || b->launch->clustered || b->issued == watch->issued || !block_has_returned(watch))
        return;
    uint32_t does = done_since(b, watch->runs);
    if (does && !(does & (READS_GLOBAL | MOVES)))
        report_deadlock(b, "The kernel does not end: " ALL_STUCK);
}

// ---- the grid

static uint64_t tick(struct launch *launch)
{
    return atomic_fetch_add(&launch->check_clock, 1) + 1;
}

void endless_starts_block(struct worker *k)
{
    if (atomic_load_explicit(&k->returned_at, memory_order_relaxed) != NOT_RETURNED)
        atomic_store(&k->returned_at, NOT_RETURNED);
}

void endless_no_blocks(struct worker *k)
{
    atomic_store(&k->written_by, tick(k->launch));
    atomic_store(&k->returned_at, NO_BLOCKS);
}

void endless_not_called(struct worker *k)
{
    atomic_store(&k->returned_at, NO_BLOCKS);
}

// See the proof at the top: returned_at of all workers is read before written_by of any.
static bool grid_is_stuck(const struct worker *k)
{
    const struct launch *launch = k->launch;
    const struct worker *all = k - k->index;
    uint64_t first_back = NO_BLOCKS, last_write = 0;
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        uint64_t back = atomic_load(&all[i].returned_at);
        first_back = back < first_back ? back : first_back;
    }
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        uint64_t written = atomic_load(&all[i].written_by);
        last_write = written > last_write ? written : last_write;
    }
    return first_back > last_write && !launch->overlaps_host && !launch->sampled;
}

// The check of b's worker began at `begin`. does: the effects of its blocks; MOVES if more blocks can start.
static void note_check(struct watch *watch, struct block *b, uint64_t begin, uint32_t does)
{
    struct worker *k = b->worker;
    uint32_t since = watch->seen ? done_since(b, watch->seen) : MOVES; // including the check itself
    since |= watch->changes != k->changes ? MOVES : watch->stored != k->stored ? WRITES : 0;
    free(watch->seen);
    watch->seen = runs_now(b);
    watch->changes = k->changes;
    watch->stored = k->stored;
    k->compares = true;
    if ((does | since) & (WRITES | SYNCHRONIZES | MOVES))
        atomic_store(&k->written_by, tick(k->launch));
    atomic_store(&k->returned_at, does & (WRITES | MOVES) ? NOT_RETURNED : begin);
}

bool endless_check(struct watch **watch, struct block *const *blocks, const bool *running, uint32_t count)
{
    struct block *last = NULL;
    struct launch *launch = blocks[0]->launch;
    uint64_t begin = tick(launch);
    uint32_t does = all_started(launch) || atomic_load(&launch->places) == 0 ? 0 : MOVES;
    for (uint32_t i = 0; i < count; i++) {
        if (!running[i])
            continue;
        does |= check_block(blocks[i]);
        if (block_failed(blocks[i]))
            return false;
        last = blocks[i];
    }
    if (!last)
        return false;
    *watch = *watch ? *watch : alloc_zeroed(1, sizeof **watch);
    forget_block(*watch);
    (*watch)->next = launch->schedule == SCHEDULE_RANDOM ? NULL : last; // there time slices have any length
    note_check(*watch, last, begin, does);
    return grid_is_stuck(last->worker);
}
