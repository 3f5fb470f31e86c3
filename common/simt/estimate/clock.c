// The virtual clock (clock.h, docs/estimate.md).
//
// While a launch is estimated every instruction runs estimate_step in the place of its handler. It issues when its
// warp is free and the registers that it reads are there; what it writes is there a latency later. At a barrier all
// warps go on with the latest. Blocks run one after another here, each from the time at which a place for it is free
// on the GPU.
#include "estimate/clock.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/opcodes.h"
#include "estimate/cache.h"
#include "estimate/words.h"
#include "exec/launch.h"
#include "exec/replace.h"
#include "exec/warp.h"
#include "report/settings.h"

enum { MOST_GROUPS = 32 };

// A warp. Times are clocks from the start of the launch.
struct warp_time {
    double now;               // it may issue
    double entered, issued;   // the basic block that it is in: when, and clocks of issue since
    double stored[2];         // its last store there to global memory, to shared memory
    double copies;            // its asynchronous copies are there
    double group[MOST_GROUPS]; // the same of each group of them
    uint32_t groups;
    const struct insn *poll; // what it polls with, where, since when
    uint64_t polled;
    double poll_began;
    double *ready; // by register of all functions
};

// What warps have asked of the multiprocessor's parts since the last barrier.
struct phase {
    double began, issues, passes, unit[UNITS];
};

struct block_time {
    struct warp_time warps[MAX_WARPS];
    struct phase phase;
    double began;
    double *ready;
    uint32_t slot;
    bool fenced; // some thread has executed a fence
    double now;  // of the warp that ran last
    bool waits;  // it has looked in vain at these words, and nobody had written them since
    uint32_t looked[LANES], look_count;
    uint64_t looked_at;
};

// A place for a block on a multiprocessor.
struct slot {
    double free; // from then on
    uint32_t number;
};

enum { STAMPS = 1 << 14 };

// What the running instruction's accesses have shown.
struct seen {
    double latency; // of the slowest; 0: none
    double passes;
    bool shared;
};

static struct {
    const struct module *module; // of the costs
    struct cost *costs;
    uint32_t *first_register; // of each function
    uint32_t registers, origins;
    struct replaced *handlers;
    const struct gpu *gpu;
    struct cache *l2, **l1; // by multiprocessor
    uint32_t l1_count;
    struct words words, lines; // of the launch; lines: of atomics
    uint64_t ended;            // blocks
    uint64_t stamps[STAMPS], stamp; // when words were written last, by a hash of their addresses
    struct slot *heap; // the earliest first
    uint32_t heap_count, slot_count;
    struct totals totals;
    struct seen seen;
    double issued_at; // of the running instruction
    clock_over *over;
} clocks;

static double later(double a, double b)
{
    return a > b ? a : b;
}

// ---- places for blocks

static bool is_before(const struct slot *a, const struct slot *b)
{
    return a->free < b->free || (a->free == b->free && a->number < b->number);
}

static void swap(struct slot *a, struct slot *b)
{
    struct slot kept = *a;
    *a = *b;
    *b = kept;
}

static void push_slot(struct slot s)
{
    uint32_t i = clocks.heap_count++;
    clocks.heap[i] = s;
    for (; i && is_before(&clocks.heap[i], &clocks.heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&clocks.heap[i], &clocks.heap[(i - 1) / 2]);
}

static struct slot pop_slot(void)
{
    struct slot top = clocks.heap[0];
    clocks.heap[0] = clocks.heap[--clocks.heap_count];
    for (uint32_t i = 0, child; (child = 2 * i + 1) < clocks.heap_count; i = child) {
        child += child + 1 < clocks.heap_count && is_before(&clocks.heap[child + 1], &clocks.heap[child]);
        if (!is_before(&clocks.heap[child], &clocks.heap[i]))
            return top;
        swap(&clocks.heap[i], &clocks.heap[child]);
    }
    return top;
}

static void open_slots(const struct launch *l)
{
    uint32_t multiprocessors = (uint32_t)clocks.gpu->multiprocessors;
    uint32_t held = resident_blocks(l->code, l->threads_per_block, l->dynamic_shared);
    clocks.slot_count = multiprocessors * (held ? held : 1);
    clocks.heap = alloc_more(clocks.heap, clocks.slot_count, sizeof *clocks.heap);
    clocks.heap_count = 0;
    for (uint32_t i = 0; i < clocks.slot_count; i++)
        push_slot((struct slot){0, i});
}

// ---- caches

// Each block has its share of the L1 cache; those that follow one another on a multiprocessor find what is left there.
static void open_l1(const struct launch *l)
{
    uint32_t held = clocks.slot_count / (uint32_t)clocks.gpu->multiprocessors;
    uint64_t most = (l->block_count + clocks.l1_count - 1) / clocks.l1_count;
    held = held > most ? (uint32_t)most : held;
    double left = clocks.gpu->l1_bytes - (double)held * (shared_size(l) + RESERVED_SHARED);
    left = left < 16384 ? 16384 : left;
    for (uint32_t i = 0; i < clocks.l1_count; i++) {
        cache_close(clocks.l1[i]);
        clocks.l1[i] = i < l->block_count ? cache_open(left / held) : NULL;
    }
}

static struct cache *l1_of(const struct block *b)
{
    return clocks.l1[b->time->slot % clocks.l1_count];
}

// The sectors of a line on their way through the L2 cache; returns the latency.
static double reach_l2(uint64_t line, uint32_t sectors, bool write)
{
    uint32_t evicted, missing = cache_touch(clocks.l2, line, sectors, write, &evicted);
    clocks.totals.l2_sectors += __builtin_popcount(sectors);
    clocks.totals.written += evicted * SECTOR_BYTES;
    if (write)
        return clocks.gpu->l2_latency;
    clocks.totals.read += __builtin_popcount(missing) * SECTOR_BYTES;
    return missing ? clocks.gpu->dram_latency : clocks.gpu->l2_latency;
}

static double load_line(struct block *b, uint64_t line, uint32_t sectors, bool past_l1)
{
    uint32_t evicted;
    struct cache *l1 = l1_of(b);
    if (!past_l1 && l1)
        sectors = cache_touch(l1, line, sectors, false, &evicted);
    return sectors ? reach_l2(line, sectors, false) : clocks.gpu->l1_latency;
}

static bool is_cached(const struct warp *w, const struct access *a)
{
    const char *op = w->block->launch->module->origins[a->in->id].ptx->op;
    return !(a->in->order & (ORDER_VOLATILE | ORDER_STRONG)) && !strstr(op, ".cg") && !strstr(op, ".cv");
}

static void touch_line(struct warp *w, const struct access *a, uint64_t line, uint32_t sectors, bool past_l1)
{
    double latency = a->kind == LOAD ? load_line(w->block, line, sectors, past_l1)
                                     : reach_l2(line, sectors, a->kind == STORE);
    clocks.seen.latency = later(clocks.seen.latency, latency);
    clocks.seen.passes++;
}

static uint32_t sectors_between(uint64_t low, uint64_t high)
{
    uint32_t first = (uint32_t)(low % LINE_BYTES / SECTOR_BYTES);
    uint32_t last = (uint32_t)((high - 1) % LINE_BYTES / SECTOR_BYTES);
    return (2u << last) - (1u << first);
}

// The lines that lanes touch, and which of their sectors.
struct touched_lines {
    uint64_t line[2 * LANES];
    uint32_t sectors[2 * LANES], count;
};

static void add_line(struct touched_lines *t, uint64_t line, uint32_t sectors)
{
    uint32_t i = t->count;
    while (i > 0 && t->line[i - 1] != line)
        i--;
    if (!i) {
        t->line[i = t->count++] = line;
        t->sectors[i] = 0;
        i++;
    }
    t->sectors[i - 1] |= sectors;
}

static void add_range(struct touched_lines *t, uint64_t low, uint64_t high)
{
    for (uint64_t at = low, end; at < high; at = end) {
        end = (at / LINE_BYTES + 1) * LINE_BYTES;
        end = end < high ? end : high;
        add_line(t, at / LINE_BYTES, sectors_between(at, end));
    }
}

static void touch_global(struct warp *w, const struct access *a)
{
    struct touched_lines t;
    t.count = 0;
    if (a->contiguous)
        add_range(&t, a->low, a->high);
    else
        FOR_LANES(l, a->mask)
        add_range(&t, a->addr[l], a->addr[l] + a->size);
    bool past_l1 = a->kind != LOAD || !is_cached(w, a);
    for (uint32_t i = 0; i < t.count; i++)
        touch_line(w, a, t.line[i], t.sectors[i], past_l1);
}

// ---- words that blocks tell one another by

static uint32_t stamp_of(uint64_t address)
{
    return (uint32_t)((address >> 2) * UINT32_C(0x9e3779b1)) >> 18;
}

// Remembers at what the block looks, until somebody writes it.
static void note_looks(struct block_time *b, const struct access *a)
{
    b->look_count = 0;
    FOR_LANES(l, a->mask)
    b->looked[b->look_count++] = stamp_of(a->addr[l]);
    b->looked_at = clocks.stamp;
}

// When the block goes on: never, while what it polls stays as it is.
static double block_goes_on(const struct block *b)
{
    const struct block_time *t = b->time;
    for (uint32_t i = 0; t->waits && i < t->look_count; i++)
        if (clocks.stamps[t->looked[i]] > t->looked_at)
            return t->now;
    return t->waits ? 1e300 : t->now;
}

// How often an atomic visits a line: each lane for itself, but lanes at neighbouring words together, sector by sector.
static double visits_of(const struct access *a, uint32_t lanes)
{
    return a->contiguous ? LINE_SECTORS : __builtin_popcount(lanes);
}

// Adds an atomic to the lines that it visits; the most visits that one of them has from it.
static double count_atomics(const struct access *a)
{
    double most = 0;
    clocks.totals.atomics += __builtin_popcount(a->mask);
    for (uint32_t left = a->mask, same; left; left &= ~same) {
        uint64_t line = a->addr[__builtin_ctz(left)] / LINE_BYTES;
        same = 0;
        FOR_LANES(l, left)
        same |= (uint32_t)(a->addr[l] / LINE_BYTES == line) << l;
        struct word *place = words_at(&clocks.lines, line);
        double visits = visits_of(a, same);
        place->visits += visits;
        clocks.totals.atomics_on_line = later(clocks.totals.atomics_on_line, place->visits);
        most = later(most, visits);
    }
    return most;
}

// When the word had what the load at hand gets from it. Blocks run in the order of their clocks only up to where they
// wait: the newest value may be one of later. Who has not waited for it takes an older one.
static double when_published(const struct word *word, bool waited)
{
    bool older = !waited && word->published > clocks.issued_at && word->before > 0;
    return older ? word->before : word->published;
}

// A strong load sees a word half a trip after it was published; and it had looked in vain half a trip before.
static void see_published(const struct access *a, bool waited)
{
    double trip = clocks.gpu->l2_latency, seen = clocks.issued_at + trip;
    FOR_LANES(l, a->mask)
    seen = later(seen, when_published(words_at(&clocks.words, a->addr[l]), waited) + trip);
    clocks.seen.latency = later(clocks.seen.latency, seen - clocks.issued_at);
}

static void publish(const struct access *a, double time)
{
    FOR_LANES(l, a->mask)
    {
        struct word *word = words_at(&clocks.words, a->addr[l]);
        word->before = a->kind == ATOMIC ? 0 : word->published;
        word->published = later(word->published, time);
        clocks.stamps[stamp_of(a->addr[l])] = ++clocks.stamp;
    }
}

// An atomic waits for those before it only where these have something to tell: behind a fence, or with
// compare-and-swap.
static void order_atomic(struct warp *w, const struct access *a, const struct cost *c)
{
    double half = clocks.gpu->l2_latency / 2, there = clocks.issued_at + half;
    double same = count_atomics(a), clocks_each = clocks.gpu->clock_ghz / clocks.gpu->atomics_on_line_per_ns;
    if (w->block->time->fenced || c->acquires || (a->in->spins && c->asks))
        FOR_LANES(l, a->mask)
        there = later(there, words_at(&clocks.words, a->addr[l])->published);
    publish(a, there);
    double latency = there + half + (same - 1) * clocks_each - clocks.issued_at;
    clocks.seen.latency = later(clocks.seen.latency, latency);
}

static void see_access(struct warp *w, const struct access *a)
{
    const struct cost *c = &clocks.costs[a->in->id];
    clocks.seen.shared |= a->space == PTX_SHARED;
    if (a->space == PTX_LOCAL) {
        clocks.seen.latency = later(clocks.seen.latency, clocks.gpu->l1_latency);
        clocks.seen.passes += (uint32_t)__builtin_popcount(a->mask) * a->size / 128.0;
    }
    if (a->space != PTX_GLOBAL || a->async)
        return;
    touch_global(w, a);
    if (a->kind == ATOMIC)
        order_atomic(w, a, c);
    else if (a->in->order & (ORDER_VOLATILE | ORDER_STRONG)) {
        if (a->kind == LOAD && a->in->spins) {
            note_looks(w->block->time, a);
            see_published(a, w->block->time->waits);
        }
        if (a->kind != LOAD)
            publish(a, clocks.issued_at + clocks.gpu->l2_latency / 2);
    }
}

// ---- instructions

// What a look in vain has cost is no time of its own: the warp is back where it began to poll.
static void forget_vain_look(struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c)
{
    uint64_t address = 0;
    if (!in->spins || !c->asks)
        return;
    if (in->a != NONE && !(in->order & ADDRESS_32))
        address = ((const uint64_t *)row(w, in->a))[__builtin_ctz(w->mask)];
    bool again = t->poll == in && t->polled == address;
    if (again)
        t->now = t->entered = t->poll_began;
    w->block->time->waits = again;
    t->poll = in;
    t->polled = address;
    t->poll_began = t->now;
}

static double *registers_of(const struct warp *w, const struct warp_time *t)
{
    const struct code *c = w->path->frame->code;
    return t->ready + clocks.first_register[c->ptx - c->module->ptx->funcs];
}

// Within a basic block ptxas puts what waits for nothing first: loads above all. What may touch the same memory keeps
// its order.
static double when_issued(const struct cost *c, const struct warp_time *t, const double *ready)
{
    double when = c->pinned ? t->now : t->entered;
    for (uint32_t i = 0; i < c->read_count; i++)
        when = later(when, ready[c->read[i]]);
    for (int space = 0; space < 2; space++)
        if (c->loads[space] || c->stores[space])
            when = later(when, t->stored[space]);
    return when;
}

static void enter_basic_block(struct warp_time *t)
{
    t->entered = t->stored[0] = t->stored[1] = t->now;
    t->issued = 0;
}

static void issue(struct warp_time *t, const struct cost *c, double when)
{
    t->issued += c->issues;
    t->now = later(later(t->now, when + c->issues), t->entered + t->issued);
    for (int space = 0; space < 2; space++)
        if (c->stores[space])
            t->stored[space] = when;
}

static void add_work(struct block *b, const struct cost *c)
{
    struct phase *p = &b->time->phase;
    clocks.totals.issues += c->issues;
    p->issues += c->issues;
    clocks.totals.unit[c->unit] += c->work;
    p->unit[c->unit] += c->work;
}

// The passes that an access has taken: through shared memory as they were counted, else a line each.
static void add_passes(struct block *b, const struct memory_count *before, const struct memory_count *now)
{
    bool atomic = now->shared_requests != before->shared_requests;
    double shared = (double)(now->wavefronts - before->wavefronts);
    if (clocks.seen.shared)
        clocks.seen.latency = later(clocks.seen.latency, clocks.gpu->shared_latency);
    shared *= atomic && now->joins <= 0 ? clocks.gpu->shared_atomic_clocks : 1;
    double all = shared + clocks.seen.passes;
    clocks.seen.latency += all > 1 ? all - 1 : 0;
    clocks.totals.passes += all;
    b->time->phase.passes += all;
}

// cp.async: copies, groups of them, and waits for groups.
static void follow_copies(struct warp_time *t, const struct insn *in, const char *op, double there)
{
    if (strstr(op, ".commit_group")) {
        t->group[t->groups++ % MOST_GROUPS] = t->copies;
    } else if (strstr(op, ".wait_group")) {
        uint32_t open = (uint32_t)in->imm;
        if (t->groups > open)
            t->now = later(t->now, t->group[(t->groups - 1 - open) % MOST_GROUPS]);
    } else if (strstr(op, ".wait_all"))
        t->now = later(t->now, t->copies);
    else
        t->copies = later(t->copies, there);
}

static void finish_step(struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c, double *ready)
{
    const struct origin *o = &w->block->launch->module->origins[in->id];
    double there = clocks.issued_at + c->latency + clocks.seen.latency;
    for (uint32_t i = 0; i < c->written_count; i++)
        ready[c->written[i]] = there;
    if (c->branches)
        t->now = later(t->now, clocks.issued_at + c->latency);
    if (c->fence)
        t->now += clocks.gpu->fence_latency;
    w->block->time->fenced |= c->fence;
    if (o->op == OP_cp)
        follow_copies(t, in, o->ptx->op, there);
}

static void estimate_step(struct warp *w, const struct insn *in)
{
    handler *run = replaced_handler(clocks.handlers, w, in);
    if (in->id == NONE || in->id >= clocks.origins) {
        run(w, in);
        return;
    }
    const struct cost *c = &clocks.costs[in->id];
    struct warp_time *t = &w->block->time->warps[w->index];
    double *ready = registers_of(w, t);
    w->block->time->now = t->now;
    if (t->poll && in != t->poll && c->unit == UNIT_MEMORY)
        w->block->time->waits = false;
    struct memory_count *counted = &w->block->worker->memory[in->id], before = *counted;
    forget_vain_look(w, t, in, c);
    if (in == current_block(w)->first)
        enter_basic_block(t);
    clocks.issued_at = when_issued(c, t, ready);
    issue(t, c, clocks.issued_at);
    clocks.seen = (struct seen){0};
    add_work(w->block, c);
    if (c->barrier || c->unit == UNIT_NONE) {
        finish_step(w, t, in, c, ready);
        run(w, in); // may complete a barrier, which sets the clocks of all its warps
        return;
    }
    run(w, in);
    if (c->unit == UNIT_MEMORY)
        add_passes(w->block, &before, counted);
    finish_step(w, t, in, c, ready);
}

// ---- blocks

static double max_of_units(const struct phase *p)
{
    double most = later(p->issues / clocks.gpu->issue_per_clock, p->passes);
    for (int u = 0; u < UNITS; u++)
        most = later(most, p->unit[u]);
    return most;
}

// All warps have met: the time is the latest one's, and no less than the multiprocessor takes for what they have
// asked.
static double end_phase(struct block *b, uint32_t warps)
{
    struct phase *p = &b->time->phase;
    double latest = p->began + max_of_units(p);
    FOR_LANES(i, warps)
    latest = later(latest, b->time->warps[i].now);
    *p = (struct phase){.began = latest};
    return latest;
}

static void estimate_block_sync(struct block *b, uint32_t warps)
{
    bool all = (warps & b->live) == b->live;
    double latest = 0, met = __builtin_popcount(warps);
    if (all)
        latest = end_phase(b, warps);
    FOR_LANES(i, warps)
    latest = later(latest, b->time->warps[i].now);
    FOR_LANES(i, warps)
    b->time->warps[i].now = latest + clocks.gpu->barrier_latency + met * clocks.gpu->barrier_warp_clocks;
}

static void estimate_block_start(struct block *b)
{
    size_t registers = (size_t)clocks.registers * b->warp_count + 1;
    if (!b->time) {
        b->time = alloc_zeroed(1, sizeof *b->time);
        b->time->ready = alloc_zeroed(registers, sizeof *b->time->ready);
    }
    double *ready = b->time->ready;
    struct slot s = clocks.heap_count ? pop_slot() : (struct slot){0, 0};
    double start = s.free + clocks.gpu->block_clocks;
    memset(ready, 0, registers * sizeof *ready);
    *b->time = (struct block_time){.ready = ready, .slot = s.number, .now = start, .began = s.free};
    b->time->phase.began = start;
    for (uint32_t i = 0; i < b->warp_count; i++)
        b->time->warps[i] = (struct warp_time){.now = start, .ready = ready + (size_t)i * clocks.registers};
}

static void estimate_block_end(struct block *b)
{
    double end = end_phase(b, b->warp_count == MAX_WARPS ? ALL_LANES : (1u << b->warp_count) - 1);
    clocks.totals.path = later(clocks.totals.path, end);
    clocks.totals.block += end - b->time->began;
    clocks.ended++;
    if (clocks.heap_count < clocks.slot_count)
        push_slot((struct slot){end, b->time->slot});
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
    clocks.costs = find_costs(m, clocks.gpu);
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
    clocks.gpu = &settings()->gpu;
    find_module(l->module);
    if (!clocks.l2) {
        clocks.l2 = cache_open(clocks.gpu->l2_bytes);
        clocks.l1_count = (uint32_t)clocks.gpu->multiprocessors;
        clocks.l1 = alloc_zeroed(clocks.l1_count, sizeof *clocks.l1);
    }
    open_slots(l);
    open_l1(l);
    clocks.ended = 0;
    clocks.totals = (struct totals){.blocks = (double)l->block_count};
    clocks.handlers = handlers_replace(l->module, estimate_step);
}

static void estimate_launch_end(struct launch *l, const struct worker *workers)
{
    (void)workers;
    handlers_restore(l->module, clocks.handlers);
    clocks.handlers = NULL;
    words_clear(&clocks.words);
    words_clear(&clocks.lines);
    clocks.totals.block /= clocks.ended ? (double)clocks.ended : 1;
    if (clocks.over)
        clocks.over(l, &clocks.totals);
}

void clock_report_to(clock_over *over)
{
    clocks.over = over;
}

void clock_cold(void)
{
    if (clocks.l2)
        cache_clear(clocks.l2);
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
                                        .block_sync = estimate_block_sync,
                                        .block_end = estimate_block_end,
                                        .block_close = estimate_block_close,
                                        .launch_end = estimate_launch_end,
                                        .alone = true,
                                        .goes_on = block_goes_on};
