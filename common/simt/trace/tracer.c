// The tracer: an observer that records what the instructions of chosen blocks do.
//
// While a launch is traced, every instruction of its module runs trace_step instead of its handler; trace_step records
// the operands, calls the handler, and records the results. So an untraced launch runs no line of this file. All blocks
// of a traced launch run on one host thread, and launches run one after another.
#include "trace/recording.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "decode/opcodes.h"
#include "exec/barrier.h"
#include "exec/finding.h"
#include "exec/replace.h"
#include "exec/sync.h"
#include "exec/warp.h"
#include "exec/warpgroup.h"
#include "memory/memory.h"
#include "report/output.h"
#include "report/settings.h"
#include "trace/describe.h"
#include "trace/finding.h"
#include "trace/flights.h"
#include "trace/forms.h"
#include "trace/trace.h"

enum { EVENT_LENGTH = 60, FLIGHT_LENGTH = 90 }; // characters in the page's file: of an event without its rows

// The state kept per block.
struct open_block {
    bool open;                           // the block is traced and is running
    uint32_t place;                      // index in the recording's blocks
    uint32_t time[MAX_WARPS];            // of the next instruction of each warp
    uint32_t arrival[MAX_WARPS];         // event with which it arrived at a barrier
    uint32_t together[MAX_WARPS][LANES]; // mask of each lane's last instruction
    uint32_t products[MAX_WARPS];        // that each warp has issued
};

static struct {
    pthread_mutex_t lock;      // held during an instruction, and from the program's end on
    atomic_bool ending;        // end() wants the lock
    bool ended;                // the program has ended
    struct recording *r;       // NULL: no launch is traced
    struct replaced *handlers; // handlers that trace_step replaces
    struct instruction_total *totals;
    uint64_t *active; // by instruction: lanes that reached it
    uint64_t blocks, warps, barriers;
    uint32_t current; // event of the running instruction; NO_EVENT: none
    uint64_t addresses[MAX_ACCESSES][LANES];
    const struct block *peers[MAX_ACCESSES];
    uint64_t events, bytes; // totals over all launches so far
    uint64_t ordinal;       // of the launch that is beginning
} tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct observer_state trace_state = {.bytes = {[OF_BLOCK] = sizeof(struct open_block)}};

// ---- events

// NULL: the block is not traced.
static struct open_block *open_block(const struct block *b)
{
    struct open_block *o = block_state(b, &trace_state);
    return o->open ? o : NULL;
}

static bool is_full(void)
{
    const struct selection *s = &settings()->trace;
    return tracer.events >= s->events || tracer.bytes >= s->bytes;
}

// A new event of a traced block; NULL: the limit is reached.
static struct event *add_event(struct open_block *o, enum event_kind kind, uint32_t warp, uint32_t time)
{
    struct traced_block *b = &tracer.r->blocks.at[o->place];
    if (is_full()) {
        b->omitted++;
        tracer.r->events_omitted++;
        return NULL;
    }
    struct event *e = PUSH(tracer.r->events);
    *e = (struct event){
        .kind = kind, .block = o->place, .warp = warp, .time = time, .id = NONE, .barrier = -1, .cost = NO_EVENT};
    b->events++;
    tracer.events++;
    tracer.bytes += EVENT_LENGTH;
    return e;
}

static struct event *current_event(void)
{
    return tracer.r && tracer.current != NO_EVENT ? &tracer.r->events.at[tracer.current] : NULL;
}

static struct row add_row(uint32_t mask, const uint64_t *values)
{
    struct row r = row_code(&tracer.r->values, mask, values);
    tracer.bytes += row_length(&r, mask);
    return r;
}

// ---- accesses

static uint32_t touched_allocation(uint64_t address)
{
    const struct allocation *a = memory_find(address);
    struct recording *r = tracer.r;
    if (!a)
        return NO_EVENT;
    for (uint32_t i = r->allocations.count; i-- > 0;)
        if (r->allocations.at[i].base == a->base)
            return i;
    *PUSH(r->allocations) = (struct touched){a->base, a->size, a->name};
    return r->allocations.count - 1;
}

static const uint8_t *lane_memory(const struct warp *w, const struct block *peer, enum ptx_space space,
                                  uint64_t address, uint32_t l)
{
    if (space == PTX_SHARED)
        return (peer ? peer : w->block)->shared + address;
    if (space == PTX_LOCAL)
        return w->local + (uint64_t)l * w->block->launch->local_stride + address;
    return (const uint8_t *)(uintptr_t)address;
}

// The number of elements in an access, of the instruction's size; a copy of 16 bytes is four words.
static uint32_t element_bytes(const struct access *a)
{
    uint32_t size = a->in->size <= 8 ? a->in->size : 4;
    return size && a->size % size == 0 && a->size / size <= 8 ? size : 1;
}

// Records the words that the lanes read or are about to write.
static void add_values(struct warp *w, const struct access *a, struct access_record *to)
{
    uint64_t values[LANES];
    to->first_value = tracer.r->rows.count;
    to->value_count = is_async_start(a->async) || to->bytes > 64 ? 0 : to->bytes / to->element;
    for (uint32_t k = 0; k < to->value_count; k++) {
        FOR_LANES(l, a->mask)
        {
            const uint8_t *from =
                a->kind == LOAD ? lane_memory(w, a->peer, a->space, a->addr[l], l) : a->data + (size_t)l * a->stride;
            values[l] = 0;
            memcpy(&values[l], from + k * to->element, to->element);
        }
        struct row r = add_row(a->mask, values);
        *PUSH(tracer.r->rows) = r;
    }
}

static enum traced_access kind_of(const struct access *a)
{
    if (a->async)
        return is_async_start(a->async) ? TRACED_ISSUED : TRACED_DONE;
    return a->kind == LOAD ? TRACED_LOAD : a->kind == STORE ? TRACED_STORE : TRACED_ATOMIC;
}

static void trace_access(struct warp *w, const struct access *a)
{
    struct event *e = current_event();
    if (!e || a->space == PTX_REG || is_warpgroup_wide(a->in->op) || !open_block(w->block))
        return;
    struct access_record r = {.kind = kind_of(a),
                              .space = a->space,
                              .mask = a->mask,
                              .bytes = a->size,
                              .element = a->kind == ATOMIC ? a->size : element_bytes(a),
                              .allocation = NO_EVENT};
    r.at = add_row(a->mask, a->addr);
    if (a->space == PTX_GLOBAL)
        r.allocation = touched_allocation(a->low);
    add_values(w, a, &r);
    if (e->access_count < MAX_ACCESSES) {
        memcpy(tracer.addresses[e->access_count], a->addr, sizeof tracer.addresses[0]);
        tracer.peers[e->access_count] = a->peer;
    }
    e->first_access = e->access_count ? e->first_access : tracer.r->accesses.count;
    e->access_count++;
    *PUSH(tracer.r->accesses) = r;
}

// Records the words after an atomic, and its results.
static void finish_atomic(const struct warp *w, const struct event *e, uint32_t k, const uint8_t *result)
{
    struct access_record *a = &tracer.r->accesses.at[e->first_access + k];
    uint64_t old[LANES] = {0}, new[LANES] = {0};
    FOR_LANES(l, a->mask)
    {
        memcpy(&new[l], lane_memory(w, tracer.peers[k], a->space, tracer.addresses[k][l], l), a->bytes);
        if (result)
            memcpy(&old[l], result + (size_t)l * a->bytes, a->bytes);
    }
    a->new = add_row(a->mask, new);
    if (result)
        a->old = add_row(a->mask, old);
}

// ---- instructions

// The state of an instruction before it runs.
struct step {
    const struct insn *in;
    const struct origin *origin;
    const uint8_t *result; // row of its first register; NULL: none
    uint32_t active, executed;
    uint32_t here;        // lanes that synchronize
    const uint8_t *regs;  // row of the function's registers
    uint64_t from[LANES]; // of a shuffle
    struct memory_count memory;
    uint64_t diverged;
};

static uint32_t lanes_at(const struct warp *w, const struct insn *in, const uint8_t *regs)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *p = &w->paths[i];
        if (p->waits_at == in && p->state == PATH_AT_WARP_SYNC && w->regs + p->frame->reg_base == regs)
            lanes |= p->mask;
    }
    return lanes;
}

static void note_sources(const struct warp *w, const struct insn *in, uint64_t *from)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    const uint32_t *b = row(w, places[0]), *c = row(w, places[1]);
    bool inside;
    for (uint32_t l = 0; l < LANES; l++)
        from[l] = source_lane(in->sub, l, b[l], c[l], &inside);
}

static struct step begin_step(const struct warp *w, const struct insn *in)
{
    struct step s = {.in = in, .origin = &w->block->launch->module->origins[in->id], .active = w->mask};
    struct worker *k = w->block->worker;
    bool all = in->guard == NONE || s.origin->op == OP_bra; // whose guard is its condition
    s.executed = all ? w->mask : guard_lanes(w, in);
    s.regs = w->bank[0];
    if (written_type(s.origin) != PTX_NONE && in->dst != NONE)
        s.result = register_row(w, in->dst);
    if (waits_for_lanes(s.origin))
        s.here = s.executed | lanes_at(w, in, s.regs);
    if (s.origin->op == OP_shfl)
        note_sources(w, in, s.from);
    s.diverged = k->diverged[in->id];
    s.memory = counts_of(k)->memory[in->id];
    counts_of(k)->memory[in->id] = (struct memory_count){.joins = s.memory.joins, .taken = s.memory.taken};
    return s;
}

// Where diverged lanes reconverge.
static void note_join(struct open_block *o, const struct warp *w)
{
    uint32_t *together = o->together[w->index], common = ALL_LANES;
    FOR_LANES(l, w->mask)
    common &= together[l];
    if (w->mask & ~common) {
        struct event *e = add_event(o, EVENT_JOIN, w->index, o->time[w->index]);
        if (e)
            e->active = e->executed = w->mask;
    }
    FOR_LANES(l, w->mask)
    together[l] = w->mask;
}

static void add_results(struct event *e, const struct warp *w, const struct step *s, uint32_t lanes)
{
    enum ptx_type type = written_type(s->origin);
    uint32_t size = ptx_type_size(type) < 2 ? 2 : ptx_type_size(type);
    bool vector = s->origin->ptx->operands[0].kind == PTX_OP_VECTOR;
    uint32_t count = vector ? (uint32_t)s->origin->ptx->operands[0].count : 1;
    const uint32_t *places = w->path->frame->code->lists + s->in->target;
    if (type == PTX_PRED) {
        e->has_bits = true;
        memcpy(&e->bits, s->result, sizeof e->bits);
        e->bits &= lanes;
        return;
    }
    e->first_value = tracer.r->rows.count;
    e->value_count = count;
    for (uint32_t k = 0; k < count && size <= 8; k++) {
        const uint8_t *from = vector ? row(w, places[k]) : s->result;
        uint64_t values[LANES] = {0};
        FOR_LANES(l, lanes)
        memcpy(&values[l], from + (size_t)l * size, size);
        struct row r = add_row(lanes, values);
        *PUSH(tracer.r->rows) = r;
    }
}

static int32_t barrier_number(const struct warp *w, const struct insn *in)
{
    if (in->imm >= 0)
        return (int32_t)in->imm;
    const uint32_t *list = w->path->frame->code->lists + in->target;
    return ((const int32_t *)row(w, list[0]))[__builtin_ctz(w->mask)];
}

// Fills in the event before the instruction runs.
static void describe_event(struct event *e, struct open_block *o, const struct warp *w, const struct step *s)
{
    const struct insn *in = s->in;
    e->id = in->id;
    e->active = s->active;
    e->executed = s->executed;
    if (s->origin->op == OP_bra)
        e->taken = in->guard == NONE ? s->active : guard_lanes(w, in);
    if (!is_block_barrier(s->origin->op, s->origin->ptx->op) || !s->executed)
        return;
    e->barrier = barrier_number(w, in);
    e->waits = (in->sub & 15) != BARRIER_ARRIVE;
    o->arrival[w->index] = tracer.r->events.count - 1;
}

// The lanes that have synchronized; none: the arrived lanes still wait.
static void note_meeting(struct event *e, const struct warp *w, const struct step *s)
{
    uint32_t met = s->here & ~lanes_at(w, s->in, s->regs);
    if (!s->executed)
        return;
    e->waits = !met;
    e->active = met ? met | (s->active & ~s->executed) : e->active;
    e->executed = met ? met : e->executed;
}

static bool is_nothing(const struct memory_count *c)
{
    struct memory_count none = {.joins = c->joins, .taken = c->taken};
    return !memcmp(c, &none, sizeof none);
}

// Adds the event to the totals of traced events.
static void add_totals(struct event *e, const struct step *s, const struct memory_count *cost, uint64_t diverged)
{
    struct instruction_total *t = &tracer.totals[e->id];
    if (!is_nothing(cost)) {
        e->cost = tracer.r->costs.count;
        *PUSH(tracer.r->costs) = *cost;
        tracer.bytes += EVENT_LENGTH;
    }
    add_memory(&t->memory, cost);
    if (e->waits && waits_for_lanes(s->origin))
        return; // counted when they have synchronized
    t->warps++;
    t->lanes += (uint64_t)__builtin_popcount(e->executed);
    tracer.active[e->id] += (uint64_t)__builtin_popcount(e->active);
    t->diverged += diverged;
}

static void finish_event(struct event *e, const struct warp *w, const struct step *s, const struct memory_count *cost)
{
    if (waits_for_lanes(s->origin))
        note_meeting(e, w, s);
    bool waits = e->waits && waits_for_lanes(s->origin);
    if (s->result && !waits && e->executed)
        add_results(e, w, s, e->executed);
    if (s->origin->op == OP_shfl && !waits)
        e->from = add_row(e->executed, s->from);
    for (uint32_t k = 0; k < e->access_count && k < MAX_ACCESSES; k++)
        if (tracer.r->accesses.at[e->first_access + k].kind == TRACED_ATOMIC)
            finish_atomic(w, e, k, s->in->dst != NONE && s->origin->op == OP_atom ? s->result : NULL);
    add_totals(e, s, cost, w->block->worker->diverged[e->id] - s->diverged);
}

// Isolates the counts of one execution of an instruction; the worker's sums are restored afterwards.
static struct memory_count take_cost(struct worker *k, const struct step *s)
{
    struct memory_count cost = counts_of(k)->memory[s->in->id], *all = &counts_of(k)->memory[s->in->id];
    *all = s->memory;
    add_memory(all, &cost);
    all->joins = cost.joins;
    return cost;
}

// ---- asynchronous work

static void trace_bulk_step(const struct bulk *c, enum bulk_step step)
{
    flight_of_copy(tracer.r, c, step, tracer.current);
    tracer.bytes += step == BULK_IS_ISSUED && tracer.current != NO_EVENT ? FLIGHT_LENGTH : 0;
}

// The four warps of a warpgroup issue the same products; the first one stands for all.
static bool leads_warpgroup(const struct warp *w)
{
    return w->index % GROUP_WARPS == 0;
}

static void note_product(struct open_block *o, const struct warp *w)
{
    uint32_t number = o->products[w->index]++;
    if (!leads_warpgroup(w) || tracer.current == NO_EVENT)
        return;
    flight_of_product(tracer.r, w->index, number, tracer.current);
    tracer.bytes += FLIGHT_LENGTH;
}

static void trace_products_done(struct warp *w, uint32_t number)
{
    struct open_block *o = open_block(w->block);
    if (o && leads_warpgroup(w))
        flight_products_done(tracer.r, o->place, w->index, number, tracer.current);
}

static void run_traced(struct warp *w, const struct insn *in, struct open_block *o, handler *run)
{
    struct step s = begin_step(w, in);
    note_join(o, w);
    struct event *e = add_event(o, EVENT_INSTRUCTION, w->index, o->time[w->index]++);
    if (e)
        describe_event(e, o, w, &s);
    tracer.current = e ? tracer.r->events.count - 1 : NO_EVENT;
    run(w, in);
    struct memory_count cost = take_cost(w->block->worker, &s);
    if (e)
        finish_event(current_event(), w, &s, &cost);
    if (s.origin->op == OP_wgmma && is_product(OP_wgmma, s.origin->ptx->op))
        note_product(o, w);
    tracer.current = NO_EVENT;
    forms_events(tracer.r);
}

static void trace_step(struct warp *w, const struct insn *in)
{
    handler *run = replaced_handler(tracer.handlers, w, in);
    struct open_block *o = open_block(w->block);
    if (!o || in->id == NONE) {
        run(w, in);
        return;
    }
    const struct timespec moment = {0, 1000000};
    if (tracer.ending) // otherwise later instructions could keep end() from getting the lock
        nanosleep(&moment, NULL);
    pthread_mutex_lock(&tracer.lock);
    run_traced(w, in, o, run);
    pthread_mutex_unlock(&tracer.lock);
}

// ---- blocks

static void trace_block_start(struct block *b)
{
    struct recording *r = tracer.r;
    struct open_block *o = block_state(b, &trace_state);
    o->open = false; // a failure may have stopped the last block
    if (!in_ranges(&settings()->trace.blocks, b->number)) {
        r->blocks_not_selected++;
        return;
    }
    if (is_full()) {
        r->blocks_omitted++;
        return;
    }
    *o = (struct open_block){.open = true, .place = r->blocks.count};
    memset(o->together, 0xff, sizeof o->together);
    memset(o->arrival, 0xff, sizeof o->arrival);
    *PUSH(r->blocks) = (struct traced_block){.number = b->number};
    tracer.blocks++;
    tracer.warps += b->warp_count;
    add_event(o, EVENT_START, NO_EVENT, 0);
    forms_events(r);
}

static uint32_t latest(const struct open_block *o, uint32_t warps)
{
    uint32_t time = 0;
    FOR_LANES(i, warps)
    time = o->time[i] > time ? o->time[i] : time;
    return time;
}

static void trace_block_end(struct block *b)
{
    struct open_block *o = open_block(b);
    if (!o)
        return;
    tracer.r->blocks.at[o->place].ended = !block_failed(b);
    add_event(o, EVENT_END, NO_EVENT, latest(o, ALL_LANES));
    o->open = false;
    forms_events(tracer.r);
}

static int32_t completed_barrier(const struct block *b, uint32_t warps)
{
    for (int32_t i = 0; i < BARRIERS; i++)
        if (b->barriers[i].warps == warps && (b->barriers[i].waiting || b->barriers[i].threads))
            return i;
    return -1;
}

static void trace_block_sync(struct block *b, uint32_t warps)
{
    struct open_block *o = open_block(b);
    if (!o)
        return;
    uint32_t time = latest(o, warps);
    struct event *e = add_event(o, EVENT_RELEASE, NO_EVENT, time);
    FOR_LANES(i, warps)
    o->time[i] = time;
    if (!e)
        return;
    e->active = e->executed = warps;
    e->barrier = completed_barrier(b, warps);
    tracer.barriers += e->barrier < 0 || !barrier_of_one_warp(b, &b->barriers[e->barrier]);
    e->first_arrival = tracer.r->arrivals.count;
    FOR_LANES(i, warps)
    if (o->arrival[i] != NO_EVENT)
        *PUSH(tracer.r->arrivals) = o->arrival[i];
    e->arrival_count = tracer.r->arrivals.count - e->first_arrival;
    tracer.bytes += 7 * e->arrival_count;
}

// ---- launches

static struct recording *open_recording(struct launch *launch)
{
    struct recording *r = tracer.r = alloc_zeroed(1, sizeof *r);
    r->launch = launch;
    r->ordinal = tracer.ordinal;
    tracer.current = NO_EVENT;
    return r;
}

static void trace_launch_start(struct launch *launch)
{
    const struct module *m = launch->module;
    struct recording *r = open_recording(launch);
    tracer.totals = alloc_zeroed(m->origin_count + 1, sizeof *tracer.totals);
    tracer.active = alloc_zeroed(m->origin_count + 1, sizeof *tracer.active);
    tracer.blocks = tracer.warps = tracer.barriers = 0;
    tracer.handlers = handlers_replace(launch->module, trace_step);
    forms_launch(r);
}

// The counts of all instructions of t, and of the launch.
static void sum(const struct tally *t, const struct launch_totals *whole, struct simt_counters *to)
{
    for (uint32_t id = 0; id < t->count; id++)
        read_instruction(t, id, whole, to);
    to->barriers = 0; // the launch has them
    read_launches(whole, to);
}

static void count_whole(struct recording *r, const struct worker *workers, struct launch_totals *whole)
{
    struct tally t = {.module = r->launch->module};
    tally_launch(&t, r->launch, workers);
    add_launch(whole, r->launch, workers);
    sum(&t, whole, &r->counters);
    free(t.of);
}

static void count_traced(struct recording *r, struct launch_totals whole)
{
    const struct module *m = r->launch->module;
    struct tally t = {.module = m, .of = tracer.totals, .count = m->origin_count};
    for (uint32_t id = 0; id < t.count; id++)
        if (m->origins[id].ptx->guard < 0 || !t.of[id].lanes)
            t.of[id].lanes = tracer.active[id];
    whole.blocks = tracer.blocks;
    whole.warps = tracer.warps;
    whole.barriers = tracer.barriers;
    sum(&t, &whole, &r->traced);
}

static void free_recording(struct recording *r)
{
    for (uint32_t i = 0; i < r->findings.count; i++)
        free(r->findings.at[i].words);
    free(r->events.at);
    free(r->accesses.at);
    free(r->rows.at);
    free(r->costs.at);
    free(r->arrivals.at);
    free(r->blocks.at);
    free(r->allocations.at);
    free(r->findings.at);
    free(r->flights.at);
    free(r->values.at);
    free(r);
}

static void trace_launch_end(struct launch *launch, const struct worker *workers)
{
    struct launch_totals whole = {0};
    struct recording *r = tracer.r;
    if (tracer.ended)
        return;
    handlers_restore(launch->module, tracer.handlers);
    count_whole(r, workers, &whole);
    count_traced(r, whole);
    r->failed = atomic_load(&launch->failed);
    forms_launch_end(r);
    free_recording(r);
    free(tracer.totals);
    free(tracer.active);
    tracer.r = NULL;
}

// ---- findings of untraced launches

static void listen_launch_start(struct launch *launch)
{
    struct recording *r = open_recording(launch);
    r->only_findings = true;
    r->blocks_not_selected = executed_blocks(launch);
}

static void listen_finding(struct block *b, const struct finding *f, const char *words)
{
    pthread_mutex_lock(&tracer.lock);
    finding_record(tracer.r, b, f, words, NO_EVENT);
    pthread_mutex_unlock(&tracer.lock);
}

static void listen_launch_end(struct launch *launch, const struct worker *workers)
{
    struct launch_totals whole = {0};
    struct recording *r = tracer.r;
    if (tracer.ended)
        return;
    r->failed = atomic_load(&launch->failed);
    if (r->findings.count) {
        count_whole(r, workers, &whole);
        forms_launch(r);
        forms_launch_end(r);
    }
    free_recording(r);
    tracer.r = NULL;
}

const struct observer trace_listener = {
    .launch_start = listen_launch_start,
    .finding = listen_finding,
    .launch_end = listen_launch_end,
};

bool trace_listens(void)
{
    return settings()->traces;
}

// The program ends while a launch runs: writes what it has done so far. A signal may have interrupted an instruction
// that never finishes: its event is omitted.
static void omit_current(struct recording *r)
{
    const struct event *e = current_event();
    if (!e)
        return;
    r->blocks.at[e->block].events--;
    r->events.count = tracer.current;
}

static void end(void)
{
    struct timespec soon;
    struct recording *r = tracer.r;
    if (!r && !tracer.ended)
        forms_end();
    if (!r || tracer.ended)
        return;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    tracer.ending = true;
    if (pthread_mutex_timedlock(&tracer.lock, &soon))
        omit_current(r);
    tracer.ended = true;
    if (r->only_findings && !r->findings.count)
        return;
    r->cut = true;
    if (r->only_findings)
        forms_launch(r);
    else
        count_traced(r, (struct launch_totals){.launches = 1});
    forms_launch_end(r);
}

static void begin(void)
{
    static bool begun;
    if (!begun)
        output_at_end(end);
    begun = true;
    forms_open();
}

// ---- findings

static void trace_finding(struct block *b, const struct finding *f, const char *words)
{
    if (finding_record(tracer.r, b, f, words, tracer.current))
        tracer.bytes += strlen(words) + 200;
    if (tracer.current == NO_EVENT)
        forms_events(tracer.r);
}

const struct observer trace_observer = {
    .state = &trace_state,
    .launch_start = trace_launch_start,
    .block_start = trace_block_start,
    .access = trace_access,
    .block_sync = trace_block_sync,
    .bulk_step = trace_bulk_step,
    .products_done = trace_products_done,
    .finding = trace_finding,
    .block_end = trace_block_end,
    .launch_end = trace_launch_end,
    .alone = true,
};

// ---- which launches

static struct kernel_launches {
    char *name;
    uint64_t count;
    struct kernel_launches *next;
} * kernels;

// The number of this launch among those of its kernel, from 0.
static uint64_t count_launch(const char *name)
{
    struct kernel_launches *k = kernels;
    while (k && strcmp(k->name, name))
        k = k->next;
    if (!k) {
        k = alloc_zeroed(1, sizeof *k);
        k->name = strdup(name);
        k->next = kernels;
        kernels = k;
    }
    return k->count++;
}

static bool is_chosen(const char *mangled, const char *wanted)
{
    size_t n = strlen(wanted);
    return !strcmp(wanted, "*") || !strncmp(kernel_name(mangled), wanted, n) || !strncmp(mangled, wanted, n);
}

bool trace_wants(const char *mangled)
{
    const struct selection *s = &settings()->trace;
    if (!settings()->traces)
        return false;
    begin();
    tracer.ordinal = count_launch(mangled);
    if (!is_chosen(mangled, s->kernel))
        return false;
    if (!in_ranges(&s->launches, tracer.ordinal))
        return false;
    if (is_full())
        forms_launch_omitted();
    return !is_full();
}
