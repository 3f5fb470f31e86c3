// The virtual clock (clock.h, docs/estimate.md).
//
// While a launch is estimated every instruction runs estimate_step in the place of its handler. It issues when its
// warp is free and the registers that it reads are there; what it writes is there a latency later. At a barrier all
// warps go on with the latest. Blocks run one after another here, each from the time at which a place for it is free
// on the GPU.
#include "estimate/clock.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "estimate/cache.h"
#include "estimate/issue.h"
#include "estimate/places.h"
#include "estimate/state.h"
#include "estimate/talk.h"
#include "estimate/traffic.h"
#include "exec/launch.h"
#include "exec/replace.h"
#include "exec/warp.h"
#include "report/settings.h"

// A function: its instructions, the handlers that were theirs, and where its registers begin.
struct function {
    const struct insn *first;
    size_t bytes;
    handler *const *run;
    uint32_t first_register;
};

static struct {
    const struct module *module; // of the costs
    struct cost *costs;
    uint32_t *first_register; // of each function
    uint32_t registers, origins;
    struct replaced *handlers;
    struct function at; // that of the instruction that ran last
    struct running running;
    struct places places;
    uint64_t ended; // blocks
    clock_over *over;
} clocks;

// ---- instructions

static void see_access(struct warp *w, const struct access *a)
{
    struct running *r = &clocks.running;
    r->shared |= a->space == PTX_SHARED;
    if (a->space == PTX_LOCAL) {
        r->latency = later(r->latency, r->gpu->l1_latency);
        r->passes += (uint32_t)__builtin_popcount(a->mask) * a->size / 128.0;
    }
    if (a->space != PTX_GLOBAL || a->async)
        return;
    const struct cost *c = &clocks.costs[a->in->id];
    traffic_add(r, w, a, c);
    talk_add(r, w, a, c);
}

static void see_constant(struct warp *w, const struct access *a)
{
    if (clocks.costs[a->in->id].unit == UNIT_CONSTANT)
        constant_add(&clocks.running, w, a);
}

// Most instructions are of the function that the one before was of.
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
    struct phase *p = &b->time->phase;
    struct totals *all = &clocks.running.totals;
    all->issues += c->issues;
    p->issues += c->issues;
    all->unit[c->unit] += c->work;
    p->unit[c->unit] += c->work;
}

// What was counted of an access before.
struct counted {
    uint64_t shared_requests, wavefronts;
};

// The passes that an access has taken: through shared memory as they were counted, else a line each.
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
    b->time->phase.passes += all;
}

static void begin_instruction(struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c,
                              const double *ready)
{
    struct block_time *b = w->block->time;
    b->now = t->now;
    if (t->poll && in != t->poll && c->unit == UNIT_MEMORY)
        b->waits = false;
    talk_forget_vain_look(w, t, in, c);
    if (in == current_block(w)->first && !c->goes_on)
        issue_enter(t);
    clocks.running.issued_at = issue_next(t, c, ready);
    clocks.running.latency = clocks.running.passes = 0;
    clocks.running.shared = false;
    add_work(w->block, c);
}

// A match looks for one value after the other.
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
    w->block->time->phase.unit[c->unit] += more * c->work;
}

// An access runs: what it asks of memory.
static void run_access(struct warp *w, const struct insn *in, handler *run, const struct cost *c)
{
    struct phase *p = &w->block->time->phase;
    const struct totals *all = &clocks.running.totals;
    const struct memory_count *now = &w->block->worker->memory[in->id];
    struct counted before = {now->shared_requests, now->wavefronts};
    double bytes = all->read + all->written, sectors = all->l2_sectors;
    run(w, in);
    p->dram_bytes += all->read + all->written - bytes;
    p->l2_sectors += all->l2_sectors - sectors;
    if (c->unit == UNIT_MEMORY)
        add_passes(w->block, &before, now);
}

// What runs in the place of every instruction's handler.
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
    struct block_time *b = w->block->time;
    struct warp_time *t = &b->warps[w->index];
    double *ready = t->ready + f->first_register;
    bool first = c->barrier || c->unit == UNIT_NONE; // a barrier sets the clocks of all its warps
    begin_instruction(w, t, in, c, ready);
    if (first)
        issue_finish(&clocks.running, t, in, o, c, ready);
    b->fenced |= c->fence;
    if (c->unit >= UNIT_MEMORY)
        run_access(w, in, run, c);
    else
        run(w, in);
    if (c->matches)
        add_values(w, in, c);
    if (first)
        return;
    issue_finish(&clocks.running, t, in, o, c, ready);
}

// ---- blocks

// The clocks of a phase by what the blocks ask for. Those that began together are in step with one another: what one
// asks for between two barriers, all of them do. The last of their loads is there when the memory has served the
// others. Returns the clocks for which memory keeps each waiting.
static double find_phase(double *by, const struct phase *p)
{
    static const enum limit units[UNITS] = {LIMIT_BY_LATENCY, LIMIT_BY_INTEGER,  LIMIT_BY_FLOAT,    LIMIT_BY_DOUBLE,
                                            LIMIT_BY_SPECIAL, LIMIT_BY_ACCESSES, LIMIT_BY_CONSTANT, LIMIT_BY_TENSOR};
    const struct running *r = &clocks.running;
    const struct gpu *g = r->gpu;
    for (int u = UNIT_NONE + 1; u < UNITS; u++)
        by[units[u]] = p->unit[u] * r->beside;
    by[LIMIT_BY_ISSUE] = p->issues / g->issue_per_clock * r->beside;
    by[LIMIT_BY_L1] = p->passes * r->beside;
    double l2 = p->l2_sectors * SECTOR_BYTES / g->l2_gb_per_s * g->clock_ghz * r->at_once;
    double dram = p->dram_bytes / g->dram_read_gb_per_s * g->clock_ghz * r->at_once;
    by[LIMIT_BY_L2] = l2 > 0 ? g->l2_latency + l2 : 0;
    by[LIMIT_BY_DRAM] = dram > 0 ? g->dram_latency + dram : 0;
    return later(l2, dram);
}

// Notes what the phase waited for. A trip to memory is latency; bandwidth is only what the other blocks' loads add to
// it.
static void note_phase(enum limit limit, double alone, double all, bool from_dram)
{
    const struct gpu *g = clocks.running.gpu;
    double *spent = clocks.running.totals.spent;
    enum limit memory = from_dram ? LIMIT_BY_DRAM : LIMIT_BY_L2;
    if (limit == LIMIT_BY_LATENCY || limit == LIMIT_BY_DRAM || limit == LIMIT_BY_L2) {
        double trip = limit == LIMIT_BY_LATENCY ? alone : from_dram ? g->dram_latency : g->l2_latency;
        spent[LIMIT_BY_LATENCY] += trip;
        spent[memory] += all - trip;
    } else
        spent[limit] += all;
}

// All warps have met: the time is the latest one's, and no less than the multiprocessor takes for what they have
// asked.
static double end_phase(struct block *b, uint32_t warps)
{
    struct phase *p = &b->time->phase;
    double by[LIMIT_BY_LAUNCHES] = {0}, latest = p->began;
    double queue = find_phase(by, p);
    FOR_LANES(i, warps)
    latest = later(latest, b->time->warps[i].now);
    by[LIMIT_BY_LATENCY] = latest - p->began;
    enum limit limit = find_limit(by);
    // What is loaded in one trip has to wait for the others' loads; of many trips, only the first one.
    latest += queue / later(1, floor(by[LIMIT_BY_LATENCY] / clocks.running.gpu->dram_latency));
    for (int i = 0; i < LIMIT_BY_LAUNCHES; i++)
        latest = later(latest, p->began + by[i]);
    note_phase(limit, by[LIMIT_BY_LATENCY], latest - p->began, by[LIMIT_BY_DRAM] >= by[LIMIT_BY_L2]);
    *p = (struct phase){.began = latest};
    return latest;
}

static void estimate_block_sync(struct block *b, uint32_t warps)
{
    const struct gpu *gpu = clocks.running.gpu;
    bool all = (warps & b->live) == b->live;
    double latest = 0, met = __builtin_popcount(warps);
    if (all)
        latest = end_phase(b, warps);
    FOR_LANES(i, warps)
    latest = later(latest, b->time->warps[i].now);
    FOR_LANES(i, warps)
    b->time->warps[i].now = latest + gpu->barrier_latency + met * gpu->barrier_warp_clocks;
}

static void estimate_block_start(struct block *b)
{
    size_t registers = (size_t)clocks.registers * b->warp_count + 1;
    if (!b->time) {
        b->time = alloc_zeroed(1, sizeof *b->time);
        b->time->ready = alloc_zeroed(registers, sizeof *b->time->ready);
    }
    double *ready = b->time->ready;
    struct place s = places_take(&clocks.places);
    double start = s.free + clocks.running.gpu->block_clocks;
    memset(ready, 0, registers * sizeof *ready);
    *b->time = (struct block_time){.ready = ready, .slot = s.number, .now = start, .began = s.free};
    b->time->phase.began = start;
    for (uint32_t i = 0; i < b->warp_count; i++)
        b->time->warps[i] = (struct warp_time){.now = start, .ready = ready + (size_t)i * clocks.registers};
}

static void estimate_block_end(struct block *b)
{
    double end = end_phase(b, b->warp_count == MAX_WARPS ? ALL_LANES : (1u << b->warp_count) - 1);
    clocks.running.totals.path = later(clocks.running.totals.path, end);
    clocks.running.totals.block += end - b->time->began;
    clocks.ended++;
    places_give(&clocks.places, (struct place){end, b->time->slot});
}

static void estimate_block_close(struct block *b)
{
    free(b->time ? b->time->ready : NULL);
    free(b->time);
    b->time = NULL;
}

// ---- launches

static void find_module(const struct module *m)
{
    if (clocks.module == m && clocks.origins == m->origin_count)
        return;
    clock_forget(clocks.module);
    clocks.costs = find_costs(m, clocks.running.gpu);
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
    clocks.ended = 0;
    double most = ceil((double)l->block_count / gpu->multiprocessors);
    clocks.running.beside = held < most ? held : most;
    clocks.running.at_once = later(1, fmin((double)l->block_count, held * gpu->multiprocessors));
    clocks.running.totals = (struct totals){.blocks = (double)l->block_count};
    clocks.handlers = handlers_replace(l->module, estimate_step);
    clocks.at = (struct function){0};
}

static void estimate_launch_end(struct launch *l, const struct worker *workers)
{
    (void)workers;
    handlers_restore(l->module, clocks.handlers);
    clocks.handlers = NULL;
    talk_over();
    clocks.running.totals.block /= clocks.ended ? (double)clocks.ended : 1;
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

const struct observer clock_observer = {.launch_start = estimate_launch_start,
                                        .block_start = estimate_block_start,
                                        .access = see_access,
                                        .constant_access = see_constant,
                                        .block_sync = estimate_block_sync,
                                        .block_end = estimate_block_end,
                                        .block_close = estimate_block_close,
                                        .launch_end = estimate_launch_end,
                                        .alone = true,
                                        .goes_on = talk_goes_on};
