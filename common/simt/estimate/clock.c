// The virtual clock (clock.h, docs/estimate.md).
//
// While a launch is estimated every instruction runs estimate_step instead of its handler. It issues when its warp is
// free and the registers that it reads are ready; its results are ready a latency later. At a barrier all warps
// continue when the latest arrives. Blocks run one after another here, each from the time at which a place for it is
// free on the GPU.
#include "estimate/clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "count/memory_count.h"
#include "estimate/issue.h"
#include "estimate/join.h"
#include "estimate/places.h"
#include "estimate/stall.h"
#include "estimate/state.h"
#include "estimate/flags.h"
#include "estimate/traffic.h"
#include "exec/launch.h"
#include "exec/replace.h"
#include "exec/warp.h"
#include "report/settings.h"

// A function: its instructions, their original handlers, and where its registers begin.
struct function {
    const struct insn *first;
    size_t bytes;
    handler *const *run;
    uint32_t first_register;
};

// The requests of blocks up to their first barrier, up to their second, ...: sums over the blocks that have reached it.
enum { MAX_PHASES = 64 };
struct usual {
    double blocks, waits; // waits: clocks that their warps took, other blocks aside
    struct phase sum;
};

static struct {
    const struct module *module; // module of the costs
    struct cost *costs;
    uint32_t *first_register; // of each function
    uint32_t registers, origins;
    struct replaced *handlers;
    struct function at; // the function of the last instruction
    struct running running;
    struct places places;
    struct usual usual[MAX_PHASES], whole; // whole: over whole blocks: those that have ended, and their requests so far
    clock_over *over;
} clocks;

// ---- instructions

static void see_access(struct warp *w, const struct access *a)
{
    struct running *r = &clocks.running;
    r->shared |= a->space == PTX_SHARED;
    if (a->space == PTX_LOCAL)
        local_add(r, w, a);
    if (a->space != PTX_GLOBAL || a->async)
        return;
    const struct cost *c = &clocks.costs[a->in->id];
    traffic_add(r, w, a, c);
    flags_add(r, w, a, c);
}

static void see_constant(struct warp *w, const struct access *a)
{
    if (clocks.costs[a->in->id].unit == UNIT_CONSTANT)
        constant_add(&clocks.running, w, a);
}

// Most instructions belong to the same function as the previous one.
static const struct function *function_of(const struct warp *w, const struct insn *in)
{
    if ((uintptr_t)in - (uintptr_t)clocks.at.first < clocks.at.bytes)
        return &clocks.at;
    const struct code *c = w->path->frame->code;
    ptrdiff_t f = c->ptx - c->module->ptx->funcs;
    clocks.at =
        (struct function){c->insns, c->insn_count * sizeof *in, clocks.handlers[f].run, clocks.first_register[f]};
    return &clocks.at;
}

static void add_work(struct block *b, const struct cost *c)
{
    struct phase *p = &time_of(b)->phase;
    struct totals *all = &clocks.running.totals;
    all->issues += c->issues;
    p->issues += c->issues;
    all->unit[c->unit] += c->work;
    p->unit[c->unit] += c->work;
}

// The instruction's counts before an access.
struct counted {
    uint64_t shared_requests, wavefronts;
};

// Adds the passes of an access: its shared wavefronts, atomics weighted, and those of its lines (traffic.c).
static void add_passes(struct block *b, const struct counted *before, const struct memory_count *now)
{
    struct running *r = &clocks.running;
    bool atomic = now->shared_requests != before->shared_requests;
    double shared = (double)(now->wavefronts - before->wavefronts);
    if (r->shared)
        r->latency = later(r->latency, r->gpu->shared_latency);
    shared *= atomic && now->joins <= 0 ? r->gpu->shared_atomic_clocks : 1;
    double all = shared + r->passes;
    r->latency += all > 1 ? all - 1 : 0;
    r->totals.passes += all;
    time_of(b)->phase.passes += all;
}

// The wait since the previous instruction issued is a stall.
static void issue(struct warp_time *t, const struct insn *in, const struct cost *c, uint32_t first_register)
{
    const double *ready = t->ready + first_register;
    double before = t->now, when = issue_next(t, c, ready);
    double waited = t->now - later(before + c->issues, t->entered + t->issued);
    t->last = in->id;
    clocks.running.issued_at = when;
    if (waited > 0)
        stall_add(in->id, stall_reason(c, ready, t->why + first_register, when), waited);
}

static void begin_instruction(struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c,
                              uint32_t first_register)
{
    struct block_time *b = time_of(w->block);
    b->now = t->now;
    if (t->poll && in != t->poll && c->unit == UNIT_MEMORY)
        b->waits = false;
    flags_forget_failed_poll(w, t, in, c);
    if (in == current_block(w)->first && !c->continues_block)
        issue_enter(t);
    issue(t, in, c, first_register);
    clocks.running.latency = clocks.running.passes = 0;
    clocks.running.shared = false;
    add_work(w->block, c);
}

// A match compares one value after the other.
static void add_values(struct warp *w, const struct insn *in, const struct cost *c)
{
    struct running *r = &clocks.running;
    const uint32_t *same = row(w, in->dst); // the lanes with its value, in each lane
    uint32_t more = 0;
    FOR_LANES(l, w->mask)
    more += same[l] && __builtin_ctz(same[l]) == (int)l;
    more = more && !in->sub ? more - 1 : 0; // match.all looks for one
    r->latency += more * r->gpu->match_value_latency;
    r->totals.unit[c->unit] += more * c->work;
    time_of(w->block)->phase.unit[c->unit] += more * c->work;
}

// An access runs: adds its requests to memory.
static void run_access(struct warp *w, const struct insn *in, handler *run, const struct cost *c)
{
    const struct memory_count *now = &counts_of(w->block->worker)->memory[in->id];
    struct counted before = {now->shared_requests, now->wavefronts};
    run(w, in);
    if (c->unit == UNIT_MEMORY)
        add_passes(w->block, &before, now);
}

// Adds the cost of predicated instructions that all lanes of a warp skip.
static void add_skipped(struct block *b, struct warp_time *t, const struct cost *c)
{
    struct running *r = &clocks.running;
    t->now += c->skipped_issues;
    time_of(b)->phase.issues += c->skipped_issues;
    r->totals.issues += c->skipped_issues;
    time_of(b)->phase.passes += c->skipped_passes;
    r->totals.passes += c->skipped_passes;
}

// Runs instead of every instruction's handler.
static void estimate_step(struct warp *w, const struct insn *in)
{
    const struct function *f = function_of(w, in);
    handler *run = f->run[in - f->first];
    if (in->id == NONE || in->id >= clocks.origins) {
        run(w, in);
        return;
    }
    const struct cost *c = &clocks.costs[in->id];
    const struct origin *o = &w->block->launch->module->origins[in->id];
    struct block_time *b = time_of(w->block);
    struct warp_time *t = &b->warps[w->index];
    double *ready = t->ready + f->first_register;
    uint8_t *why = t->why + f->first_register;
    const uint32_t lanes = w->mask;
    bool first = c->barrier || c->unit == UNIT_NONE; // a barrier sets the clocks of all warps of the block
    begin_instruction(w, t, in, c, f->first_register);
    if (first)
        issue_finish(&clocks.running, t, in, o, c, ready, why);
    b->fenced |= c->fence;
    if (c->unit >= UNIT_MEMORY)
        run_access(w, in, run, c);
    else
        run(w, in);
    if (c->matches)
        add_values(w, in, c);
    if (c->skipped_issues > 0 && w->mask == lanes && w->path->block == in->target)
        add_skipped(w->block, t, c);
    if (first)
        return;
    issue_finish(&clocks.running, t, in, o, c, ready, why);
}

// ---- blocks

static void add_phase(struct phase *sum, const struct phase *p, double times)
{
    sum->issues += times * p->issues;
    sum->passes += times * p->passes;
    for (int u = 0; u < UNITS; u++)
        sum->unit[u] += times * p->unit[u];
}

static struct usual *usual_of(const struct block_time *b)
{
    return &clocks.usual[b->phases < MAX_PHASES ? b->phases : MAX_PHASES - 1];
}

// The share of a block's co-resident blocks that are in step with it: all of those that began with the launch; the
// later they begin, the fewer.
static double in_step(void)
{
    double places = clocks.running.resident * clocks.running.gpu->multiprocessors;
    return 1 / (1 + clocks.whole.blocks / places);
}

// The requests of a block's phase of `waits` clocks, and those of other blocks meanwhile. Blocks in step make as many
// as blocks usually do up to this barrier, the others a part of a block's total.
static struct phase with_others(const struct block_time *b, double waits)
{
    const struct usual *usual = usual_of(b), *whole = &clocks.whole;
    double others = clocks.running.resident - 1, share = in_step();
    struct phase all = b->phase;
    add_phase(&all, &usual->sum, others * share / usual->blocks);
    if (whole->waits > 0)
        add_phase(&all, &whole->sum, others * (1 - share) * waits / whole->waits);
    return all;
}

static void note_usual(const struct block_time *b, double waits)
{
    struct usual *usual = usual_of(b);
    add_phase(&usual->sum, &b->phase, 1);
    usual->blocks++;
    add_phase(&clocks.whole.sum, &b->phase, 1);
    clocks.whole.waits += waits;
}

// The clocks of a phase, by parts of the multiprocessor. waits: the clocks of its own warps.
static void find_phase(double *by, const struct block_time *b, double waits)
{
    static const enum limit units[UNITS] = {LIMIT_BY_LATENCY, LIMIT_BY_INTEGER,  LIMIT_BY_FLOAT,    LIMIT_BY_DOUBLE,
                                            LIMIT_BY_SPECIAL, LIMIT_BY_ACCESSES, LIMIT_BY_CONSTANT, LIMIT_BY_TENSOR};
    const struct phase all = with_others(b, waits);
    for (int u = UNIT_NONE + 1; u < UNITS; u++)
        by[units[u]] = all.unit[u];
    by[LIMIT_BY_ISSUE] = all.issues / clocks.running.gpu->issue_per_clock;
    by[LIMIT_BY_L1] = all.passes;
    by[LIMIT_BY_LATENCY] = waits;
}

// All warps have arrived: the time is the latest warp's, but at least what the multiprocessor needs for their requests.
static double end_phase(struct block *b, uint32_t warps)
{
    struct phase *p = &time_of(b)->phase;
    double by[LIMIT_BY_LAUNCHES] = {0}, latest = p->began;
    FOR_LANES(i, warps)
    latest = later(latest, time_of(b)->warps[i].now);
    const double ready = latest;
    note_usual(time_of(b), latest - p->began);
    find_phase(by, time_of(b), latest - p->began);
    enum limit limit = find_limit(by);
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        latest = later(latest, p->began + by[i]);
    if (latest > ready)
        stall_throttle(limit, (latest - ready) * __builtin_popcount(warps));
    clocks.running.totals.spent[limit] += latest - p->began;
    *p = (struct phase){.began = latest};
    time_of(b)->phases++;
    return latest;
}

static void estimate_block_sync(struct block *b, uint32_t warps)
{
    const struct gpu *gpu = clocks.running.gpu;
    bool all = (warps & b->live) == b->live;
    double latest = 0, met = __builtin_popcount(warps), latency = gpu->barrier_latency + met * gpu->barrier_warp_clocks;
    FOR_LANES(i, warps)
    latest = later(latest, time_of(b)->warps[i].now);
    double busy = all ? later(end_phase(b, warps) - latest, 0) : 0; // waits for a part of the multiprocessor until then
    FOR_LANES(i, warps)
    {
        struct warp_time *t = &time_of(b)->warps[i];
        stall_add(t->last, STALL_BY_BARRIER, latest + latency - t->now);
        t->now = latest + busy + latency;
    }
}

static void estimate_block_start(struct block *b)
{
    size_t registers = (size_t)clocks.registers * b->warp_count + 1;
    struct block_time *t = time_of(b);
    double *ready = t->ready ? t->ready : alloc_zeroed(registers, sizeof *ready);
    uint8_t *why = t->why ? t->why : alloc_zeroed(registers, sizeof *why);
    struct place s = places_acquire(&clocks.places);
    double start = s.free + clocks.running.gpu->block_clocks;
    memset(ready, 0, registers * sizeof *ready);
    *t = (struct block_time){.ready = ready, .why = why, .slot = s.number, .now = start, .began = s.free};
    t->phase.began = start;
    traffic_block(t);
    for (uint32_t i = 0; i < b->warp_count; i++)
        t->warps[i] = (struct warp_time){.now = start,
                                         .began = start,
                                         .last = NONE,
                                         .ready = ready + (size_t)i * clocks.registers,
                                         .why = why + (size_t)i * clocks.registers};
}

static void estimate_block_end(struct block *b)
{
    double end = end_phase(b, b->warp_count == MAX_WARPS ? ALL_LANES : (1u << b->warp_count) - 1);
    for (uint32_t i = 0; i < b->warp_count; i++) // its last warp may have waited for a part of the multiprocessor
        stall_add_all(end - time_of(b)->warps[i].began);
    clocks.running.totals.path = later(clocks.running.totals.path, end);
    clocks.running.totals.block += end - time_of(b)->began;
    clocks.whole.blocks++;
    places_release(&clocks.places, (struct place){end, time_of(b)->slot});
}

static void estimate_block_close(struct block *b)
{
    free(time_of(b)->ready);
    free(time_of(b)->why);
}

// ---- launches

static void find_module(const struct module *m)
{
    if (clocks.module == m && clocks.origins == m->origin_count)
        return;
    clock_forget(clocks.module);
    clocks.costs = find_costs(m, clocks.running.gpu);
    join_costs(clocks.costs, m);
    clocks.first_register = alloc_zeroed((size_t)m->ptx->func_count + 1, sizeof *clocks.first_register);
    clocks.registers = 0;
    for (int f = 0; f < m->ptx->func_count; f++) {
        clocks.first_register[f] = clocks.registers;
        clocks.registers += m->codes[f] ? (uint32_t)m->ptx->funcs[f].reg_count : 0;
    }
    clocks.module = m;
    clocks.origins = m->origin_count;
}

static void estimate_launch_start(struct launch *l)
{
    const struct gpu *gpu = clocks.running.gpu = &settings()->gpu;
    uint32_t held = resident_blocks(l->code, l->threads_per_block, l->dynamic_shared);
    held = held ? held : 1;
    find_module(l->module);
    places_open(&clocks.places, (uint32_t)gpu->multiprocessors * held);
    traffic_open(l, gpu, held);
    stall_open(settings()->estimate_lines ? l->module->origin_count : 0);
    memset(clocks.usual, 0, sizeof clocks.usual);
    clocks.whole = (struct usual){0};
    double most = ceil((double)l->block_count / gpu->multiprocessors);
    clocks.running.resident = held < most ? held : most;
    clocks.running.totals = (struct totals){.blocks = (double)l->block_count};
    clocks.handlers = handlers_replace(l->module, estimate_step);
    clocks.at = (struct function){0};
}

static void estimate_launch_end(struct launch *l, const struct worker *workers)
{
    (void)workers;
    handlers_restore(l->module, clocks.handlers);
    clocks.handlers = NULL;
    flags_over();
    clocks.running.totals.block /= clocks.whole.blocks > 0 ? clocks.whole.blocks : 1;
    if (clocks.over)
        clocks.over(l, &clocks.running.totals);
}

void clock_report_to(clock_over *over)
{
    clocks.over = over;
}

void clock_cold(void)
{
    traffic_cold();
}

void clock_forget(const struct module *m)
{
    if (clocks.module != m || !m)
        return;
    free(clocks.costs);
    free(clocks.first_register);
    clocks.module = NULL;
}

struct observer_state clock_state = {.bytes = {[OF_BLOCK] = sizeof(struct block_time)}};

const struct observer clock_observer = {.state = &clock_state,
                                        .launch_start = estimate_launch_start,
                                        .block_start = estimate_block_start,
                                        .access = see_access,
                                        .constant_access = see_constant,
                                        .block_sync = estimate_block_sync,
                                        .block_end = estimate_block_end,
                                        .block_close = estimate_block_close,
                                        .launch_end = estimate_launch_end,
                                        .alone = true,
                                        .ready_time = flags_ready_time};
