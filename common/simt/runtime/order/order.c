// The order between streams, events and the host.
//
// Work in a stream waits for all earlier work of the stream, for the stream's events, and for what the host had waited
// for. The legacy stream of a device and its blocking streams wait for one another. All host threads count as one.
#include "runtime/order/order.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "check/race.h"
#include "check/provenance.h"
#include "count/count.h"
#include "estimate/estimate.h"
#include "exec/nested.h"
#include "memory/other_host.h"
#include "report/settings.h"
#include "trace/calls.h"

static struct {
    struct order host;
    struct order copied[MAX_DEVICES]; // what the default and blocking streams of a device wait for in addition
    struct landing {                  // a copy from or to page-locked memory, until the host waits for it
        struct flight *flight;
        uint32_t timeline;
        uint64_t number;
        struct landing *next;
    } * landings;
} orders; // guarded by lock_streams()

void order_join(struct order *into, const struct order *from)
{
    for (uint32_t t = 0; t < TIMELINES; t++)
        into->known[t] = from->known[t] > into->known[t] ? from->known[t] : into->known[t];
}

// ---- page-locked memory

// Stops watching the copies that have ended as far as the host knows.
static void land(const struct order *over)
{
    for (struct landing **link = &orders.landings; *link;) {
        struct landing *l = *link;
        if (over->known[l->timeline] < l->number) {
            link = &l->next;
            continue;
        }
        *link = l->next;
        memory_landed(l->flight);
        free(l);
    }
}

static void add_landing(struct flight *f, const struct operation *op)
{
    struct landing *l = f ? alloc_zeroed(1, sizeof *l) : NULL;
    if (!l)
        return;
    *l = (struct landing){f, op->timeline, op->number, orders.landings};
    orders.landings = l;
}

static void depart_end(const void *end, size_t size, bool filled, const struct operation *op)
{
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)end);
    bool locked = a && (a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED);
    enum flight_kind kind = filled ? FLIGHT_FILLED : FLIGHT_READ;
    struct flight *f = locked ? memory_in_flight((uint64_t)(uintptr_t)end, size, kind, op->number) : NULL;
    memory_witness(trace_host_touch);
    add_landing(f, op);
}

// Watches a kernel's pages. If an earlier kernel of the same timeline is still watched, this one replaces it.
static void depart_pages(uint64_t address, uint64_t size, const struct operation *op)
{
    for (struct landing *l = orders.landings; l; l = l->next)
        if (l->timeline == op->timeline && memory_is_in_flight(l->flight, address, size)) {
            l->number = op->number;
            return;
        }
    add_landing(memory_in_flight(address, size, FLIGHT_KERNEL, op->number), op);
}

static void depart_kernel(const struct operation *op)
{
    struct stretch pages[64];
    uint32_t n = memory_touched(race_stamp(op->number), pages, sizeof pages / sizeof *pages);
    memory_judge(operation_judge);
    for (uint32_t i = 0; i < n; i++)
        depart_pages(pages[i].first, pages[i].end - pages[i].first, op);
}

// Whether one end of a copy is contiguous.
static bool is_one_piece(const struct copy_work *c, size_t pitch, size_t rows)
{
    return (c->height == 1 || pitch == c->width) && (c->depth == 1 || (pitch == c->width && rows == c->height));
}

// Watches a contiguous copy, or a kernel, that the host has not waited for.
static void depart(const struct work *w, const struct operation *op)
{
    const struct copy_work *c = &w->copy;
    if (w->kind == WORK_KERNEL)
        depart_kernel(op);
    size_t size = c->width * c->height * c->depth;
    if (w->kind != WORK_COPY || !size)
        return;
    if (is_one_piece(c, c->from_pitch, c->from_rows))
        depart_end(c->from, size, false, op);
    if (is_one_piece(c, c->to_pitch, c->to_rows))
        depart_end(c->to, size, true, op);
}

static struct traced_order traced(const struct order *o)
{
    return (struct traced_order){o->known, TIMELINES};
}

// what: what the host waits for, for the trace; NULL: already recorded.
static void host_acquires(const char *what, const struct order *over)
{
    order_join(&orders.host, over);
    if (what)
        trace_host_wait(what, traced(&orders.host));
    operation_host_knows(&orders.host);
    land(&orders.host);
}

// ---- what has ended

static bool is_blocking(const struct stream *s)
{
    return !s->legacy && !(s->flags & cudaStreamNonBlocking);
}

// What work submitted to the stream now waits for.
static struct order before_next(const struct stream *s)
{
    struct order o = orders.host;
    order_join(&o, &s->known);
    if (!(s->flags & cudaStreamNonBlocking))
        order_join(&o, &orders.copied[s->device]);
    for (const struct stream *other = all_streams(); other; other = other->next)
        if (other->device == s->device && ((s->legacy && is_blocking(other)) || (is_blocking(s) && other->legacy)))
            order_join(&o, &other->known);
    return o;
}

// "stream 1" is the first that the program created.
static void stream_words(const struct stream *s, const char *in, char *out, size_t size)
{
    const char *kind = s->flags & cudaStreamNonBlocking ? "non-blocking " : "";
    int n = s->legacy    ? snprintf(out, size, "%sthe default stream", in)
            : s->id == 2 ? snprintf(out, size, "%sthe thread's default stream", in)
                         : snprintf(out, size, "%s%sstream %llu", in, kind, s->id - 2);
    if (settings()->devices > 1)
        snprintf(out + n, size - (size_t)n, " of device %d", s->device);
}

void order_record(const struct stream *s, struct event *e)
{
    char where[64];
    e->known = before_next(s);
    stream_words(s, "", where, sizeof where);
    trace_event(false, e, where, traced(&e->known));
}

void order_wait(struct stream *s, const struct event *e)
{
    char where[64];
    order_join(&s->known, &e->known);
    stream_words(s, "", where, sizeof where);
    trace_event(true, e, where, traced(&s->known));
}

static void acquire_stream(const struct stream *s, const struct order *o)
{
    char what[64];
    stream_words(s, "for ", what, sizeof what);
    host_acquires(what, o);
}

void host_waits_for_stream(const struct stream *s)
{
    estimate_wait();
    lock_streams();
    struct order o = before_next(s);
    acquire_stream(s, &o);
    unlock_streams();
}

void host_waits_for_event(const struct event *e)
{
    estimate_wait();
    lock_streams();
    host_acquires("for an event", &e->known);
    unlock_streams();
}

// The first query of work that the host has not waited for returns "not ready", as it may on a device; the second
// returns success.
static bool is_first_query(const struct order *o, uint64_t *asked)
{
    uint64_t sum = 0;
    bool behind = false;
    for (uint32_t t = 0; t < TIMELINES; t++) {
        behind |= o->known[t] > orders.host.known[t];
        sum += o->known[t];
    }
    if (!behind || sum == *asked)
        return false;
    *asked = sum;
    return true;
}

bool host_queries_stream(struct stream *s)
{
    lock_streams();
    struct order o = before_next(s);
    bool first = is_first_query(&o, &s->asked);
    if (!first)
        acquire_stream(s, &o);
    unlock_streams();
    return !first;
}

bool host_queries_event(struct event *e)
{
    lock_streams();
    bool first = is_first_query(&e->known, &e->asked);
    if (!first)
        host_acquires("for an event", &e->known);
    unlock_streams();
    return !first;
}

void host_waits_for_device(int device)
{
    estimate_wait();
    lock_streams();
    for (const struct stream *s = all_streams(); s; s = s->next)
        if (s->device == device)
            host_acquires(NULL, &s->known);
    trace_host_wait("for the device", traced(&orders.host));
    unlock_streams();
}

// ---- operations

static void describe(const struct stream *s, bool graph, struct operation *op)
{
    stream_words(s, graph ? "a graph in " : "", op->where, sizeof op->where);
}

static struct region copy_region(const void *p, uint64_t pitch, uint64_t rows, const struct copy_work *c)
{
    bool any = c->width && c->height && c->depth;
    return (struct region){(uint64_t)(uintptr_t)p, pitch, rows, any ? c->width : 0, c->height, c->depth};
}

static void name_memory(const struct work *w, struct operation *op)
{
    const struct memory_work *m = &w->memory;
    snprintf(op->name, sizeof op->name, "%s", w->kind == WORK_ALLOCATE ? "cudaMallocAsync" : "cudaFreeAsync");
    op->writes = (struct region){(uint64_t)(uintptr_t)m->p, m->size, 1, m->size, 1, 1};
}

static void name_copy(const struct work *w, bool waits, struct operation *op)
{
    bool copy = w->kind == WORK_COPY;
    snprintf(op->name, sizeof op->name, "%s%s", copy ? "cudaMemcpy" : "cudaMemset", waits ? "" : "Async");
    if (copy) {
        op->reads = copy_region(w->copy.from, w->copy.from_pitch, w->copy.from_rows, &w->copy);
        op->writes = copy_region(w->copy.to, w->copy.to_pitch, w->copy.to_rows, &w->copy);
        op->page_locked = !within_device(&w->copy) && uses_page_locked(&w->copy);
        const struct allocation *from = within_device(&w->copy) ? memory_find(op->reads.base) : NULL;
        op->moved[0] = from && op->reads.width ? from->base : 0;
        return;
    }
    const struct fill_work *f = &w->fill;
    op->writes = (struct region){(uint64_t)(uintptr_t)f->to,           f->pitch,  f->rows,
                                 f->height && f->depth ? f->width : 0, f->height, f->depth};
}

// The allocations to which words of a kernel's parameters point, including words of structs.
static void name_arguments(const struct work *w, struct operation *op)
{
    cudaError_t e;
    const struct ptx_function *f = kernel_entry(w->kernel.kernel, w->device, &e);
    uint32_t n = 0;
    for (int i = 0; f && i < f->param_count; i++)
        for (uint64_t at = 0; at + 8 <= f->params[i].size; at += 8) {
            uint64_t word;
            memcpy(&word, (const uint8_t *)w->kernel.args[i] + at, 8);
            const struct allocation *a = memory_find(word);
            if (a && a->live && n < sizeof op->memory / sizeof *op->memory)
                op->memory[n++] = a->base;
        }
}

static int device_of(uint64_t address)
{
    const struct allocation *a = address ? memory_find(address) : NULL;
    return a && (a->kind == MEMORY_DEVICE || a->kind == MEMORY_ARRAY) ? a->device : -1;
}

// A kernel that was passed memory of its own device and of another may copy between them.
static void find_devices(const struct work *w, struct operation *op)
{
    uint64_t own[sizeof op->memory / sizeof *op->memory] = {0};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof op->memory / sizeof *op->memory; i++) {
        int device = device_of(op->memory[i]);
        if (device == w->device)
            own[n++] = op->memory[i];
        op->between_devices |= device >= 0 && device != w->device;
    }
    op->between_devices &= n > 0;
    if (op->between_devices)
        memcpy(op->moved, own, sizeof own);
}

static void name_operation(const struct work *w, bool waits, struct operation *op)
{
    cudaError_t e;
    if (w->kind != WORK_KERNEL) {
        if (w->kind == WORK_ALLOCATE || w->kind == WORK_RELEASE)
            name_memory(w, op);
        else
            name_copy(w, waits, op);
        return;
    }
    op->module = image_module(w->kernel.kernel->image, w->device, &e);
    name_arguments(w, op);
    find_devices(w, op);
    snprintf(op->name, sizeof op->name, "%s", kernel_name(w->kernel.kernel->name));
}

// Whether a copy or fill has ended for the host when its call returns. Copies and fills within the device continue. So
// may a copy from pageable memory, whose last part the device still reads from a buffer.
static bool host_sees_end(const struct work *w, bool waits)
{
    if (w->kind == WORK_COPY)
        return waits ? !within_device(&w->copy) && !arrives_late(&w->copy) : ends_in_pageable(&w->copy);
    return w->kind == WORK_FILL && waits && !is_device_memory(w->fill.to);
}

// cudaMemcpy from device to device is queued on both devices, and both wait for its end later.
static void peers_before(const struct work *w, struct order *before)
{
    for (const struct stream *s = all_streams(); s; s = s->next)
        if (!(s->flags & cudaStreamNonBlocking) && copies_on_device(&w->copy, s->device))
            order_join(before, &s->known);
}

static void peers_after(const struct work *w, const struct order *after)
{
    for (int d = 0; d < MAX_DEVICES; d++)
        if (copies_on_device(&w->copy, d))
            order_join(&orders.copied[d], after);
}

static cudaError_t run_operation(const struct work *w, struct operation *op, struct nested **nested)
{
    operation_begin(op);
    for (uint32_t n = operation_overlaps(op); n > 0; n--)
        count_overlap();
    cudaError_t e = run_device_work(w, op, nested);
    if (!e && w->kind != WORK_KERNEL)
        operation_check(op);
    operation_end(op);
    provenance_copied(op);
    return e;
}

// ---- work that kernels launch (exec/nested.h)

// The work that the threads of a block submit to one stream.
struct branch {
    uint64_t block, stream;
    uint32_t timeline;
    struct order known; // what the stream's later work waits for
    struct branch *next;
};

// The work that one grid launches.
struct family {
    const struct work *parent;
    uint64_t number;    // of the grid's operation
    struct order start; // what has ended when the grid's work starts
    struct order end;   // what has ended when all of the work has
    struct branch *branches;
    bool checked; // the race check is on
};

static struct branch *branch_of(struct family *f, const struct nested *n)
{
    struct branch *b = n->stream == STREAM_FORGET ? NULL : f->branches;
    while (b && b->block == n->block && b->stream != n->stream) // a block's work is contiguous
        b = b->next;
    if (b && b->block == n->block)
        return b;
    b = alloc_zeroed(1, sizeof *b);
    lock_streams();
    *b = (struct branch){n->block, n->stream, take_timeline(), f->start, f->branches};
    unlock_streams();
    return f->branches = b;
}

static void free_branches(struct family *f)
{
    lock_streams();
    for (struct branch *b = f->branches, *next; b; b = next) {
        next = b->next;
        give_back_timeline(b->timeline);
        free(b);
    }
    unlock_streams();
}

static void run_family(const struct work *parent, const struct operation *op, struct nested *list, struct order *over);

static void run_unchecked(const struct work *w)
{
    struct nested *nested;
    run_device_work(w, NULL, &nested);
    run_family(w, NULL, nested, NULL);
}

// *known: in, what the work waits for; out, what has ended when it ends.
static void run_checked(const struct work *w, uint32_t timeline, uint64_t parent, const struct nested *n,
                        struct order *known)
{
    struct nested *nested = NULL;
    struct operation op = {.before = *known, .timeline = timeline, .nested = true, .parent = parent, .given = n->given};
    snprintf(op.where, sizeof op.where, "a stream of block %llu", (unsigned long long)n->block);
    name_operation(w, false, &op);
    run_operation(w, &op, &nested);
    known->known[timeline] = op.number;
    run_family(w, &op, nested, known);
    lock_streams();
    depart(w, &op);
    unlock_streams();
}

static void run_one(struct family *f, const struct nested *n)
{
    struct work w;
    if (!read_nested(n, f->parent, &w))
        return;
    if (w.kind == WORK_KERNEL)
        count_nested_launch();
    if (!f->checked) {
        run_unchecked(&w);
        return;
    }
    bool last = n->stream == STREAM_TAIL;
    struct branch *b = branch_of(f, n);
    if (last)
        order_join(&b->known, &f->end);
    run_checked(&w, b->timeline, last ? 0 : f->number, n, &b->known);
    order_join(&f->end, &b->known);
}

// Runs all work that a grid has launched, and frees it. over: in, what has ended when the grid has; out, when its work
// has, too. NULL: the race check is off. Errors are already reported and do not belong to the launch.
static void run_family(const struct work *parent, const struct operation *op, struct nested *list, struct order *over)
{
    struct family f = {.parent = parent, .number = op ? op->number : 0, .checked = over != NULL};
    if (!list)
        return;
    if (over)
        f.start = f.end = *over;
    for (int last = 0; last < 2; last++)
        for (const struct nested *n = list; n; n = n->next)
            if ((n->stream == STREAM_TAIL) == last)
                run_one(&f, n);
    if (over)
        *over = f.end;
    free_branches(&f);
    nested_free(list);
}

cudaError_t run_in_order(struct stream *s, const struct work *w, bool waits)
{
    struct operation op = {0};
    struct nested *nested = NULL;
    if (!settings()->check_race) {
        cudaError_t e = run_device_work(w, NULL, &nested);
        run_family(w, NULL, nested, NULL);
        return e;
    }
    lock_streams();
    op.before = before_next(s);
    op.timeline = s->timeline;
    if (waits && w->kind == WORK_COPY)
        peers_before(w, &op.before);
    unlock_streams();
    describe(s, false, &op);
    name_operation(w, waits, &op);
    cudaError_t e = run_operation(w, &op, &nested);
    struct order after = op.before;
    after.known[op.timeline] = op.number;
    run_family(w, &op, nested, &after);
    lock_streams();
    order_join(&s->known, &after);
    if (waits && w->kind == WORK_COPY)
        peers_after(w, &after);
    if (host_sees_end(w, waits))
        host_acquires("for the copy", &after);
    else if (waits && w->kind == WORK_COPY && arrives_late(&w->copy))
        host_acquires("for the copy", &op.before);
    else
        depart(w, &op);
    unlock_streams();
    return e;
}

// An operation that only touches its regions.
static void run_check(struct operation *op)
{
    operation_begin(op);
    operation_check(op);
    operation_end(op);
}

void order_memory(struct stream *s, void *p, const char *call)
{
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    struct operation op = {.writes = {(uint64_t)(uintptr_t)p, a ? a->size : 0, 1, a ? a->size : 0, 1, 1}};
    if (!settings()->check_race || !a || !a->live || a->base != (uint64_t)(uintptr_t)p)
        return;
    lock_streams();
    op.before = before_next(s);
    op.timeline = s->timeline;
    unlock_streams();
    describe(s, false, &op);
    snprintf(op.name, sizeof op.name, "%s", call);
    run_check(&op);
    lock_streams();
    s->known.known[op.timeline] = op.number;
    unlock_streams();
}

void order_release(void *p, const char *call)
{
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    struct operation op = {.writes = {(uint64_t)(uintptr_t)p, a ? a->size : 0, 1, a ? a->size : 0, 1, 1}};
    if (!settings()->check_race || !a || !a->live || a->base != (uint64_t)(uintptr_t)p)
        return;
    lock_streams();
    op.before = orders.host;
    op.timeline = take_timeline();
    unlock_streams();
    snprintf(op.where, sizeof op.where, "the host");
    snprintf(op.name, sizeof op.name, "%s", call);
    run_check(&op);
    lock_streams();
    give_back_timeline(op.timeline);
    unlock_streams();
}

// ---- host functions

#define RUNS 8 // of bytes that a host function has written

// Runs the function, which only waits for what *order says, and adds what it has written. What it reads is unknown, and
// so is what it writes without a change. Other threads of the host may write meanwhile: then nothing is noted.
static cudaError_t run_host_function(const struct stream *s, const struct work *w, uint32_t timeline, bool graph,
                                     struct order *order)
{
    bool calls = w->kind == WORK_HOST || w->kind == WORK_CALLBACK;
    bool checked = calls && settings()->check_race && !other_host() && host_has_one_thread();
    lock_streams();
    land(order);
    unlock_streams();
    struct snapshot *before = checked ? memory_remember() : NULL;
    cudaError_t e = run_host_work(w);
    struct stretch written[RUNS];
    uint32_t n = memory_changes(before, written, RUNS);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = written[i].end - written[i].first;
        struct operation op = {.before = *order,
                               .timeline = timeline,
                               .writes = {written[i].first, bytes, 1, bytes, 1, 1},
                               .name = "a host function",
                               .by_host = true};
        describe(s, graph, &op);
        operation_begin(&op);
        operation_end(&op);
        order->known[timeline] = op.number;
    }
    return e;
}

cudaError_t run_host_in_order(struct stream *s, const struct work *w)
{
    lock_streams();
    struct order order = before_next(s);
    uint32_t timeline = s->timeline;
    unlock_streams();
    cudaError_t e = run_host_function(s, w, timeline, false, &order);
    lock_streams();
    order_join(&s->known, &order);
    unlock_streams();
    return e;
}

// ---- graphs

void graph_starts(const struct stream *s, struct order *start)
{
    lock_streams();
    *start = before_next(s);
    unlock_streams();
}

uint32_t graph_branches(void)
{
    lock_streams();
    uint32_t t = take_timeline();
    unlock_streams();
    return t;
}

// order: in, what the node waits for; out, what has ended when it ends.
cudaError_t run_node(const struct stream *s, const struct work *w, uint32_t timeline, struct order *order)
{
    struct operation op = {.before = *order, .timeline = timeline};
    if (w->kind == WORK_EVENT && find_event(w->event)) {
        mark_event(find_event(w->event));
        find_event(w->event)->known = *order;
    }
    if (w->kind == WORK_WAIT && find_event(w->event))
        order_join(order, &find_event(w->event)->known);
    if (w->kind != WORK_KERNEL && w->kind != WORK_COPY && w->kind != WORK_FILL && w->kind != WORK_ALLOCATE &&
        w->kind != WORK_RELEASE) {
        return run_host_function(s, w, timeline, true, order);
    }
    if (w->kind == WORK_KERNEL)
        count_graph_launch();
    struct nested *nested = NULL;
    if (!settings()->check_race) {
        cudaError_t e = run_device_work(w, NULL, &nested);
        run_family(w, NULL, nested, NULL);
        return e;
    }
    describe(s, true, &op);
    name_operation(w, false, &op);
    cudaError_t e = run_operation(w, &op, &nested);
    order->known[timeline] = op.number;
    run_family(w, &op, nested, order);
    lock_streams();
    depart(w, &op);
    unlock_streams();
    return e;
}

void graph_ends(struct stream *s, const struct order *end, const uint32_t *timelines, size_t count)
{
    lock_streams();
    order_join(&s->known, end);
    for (size_t i = 0; i < count; i++)
        give_back_timeline(timelines[i]);
    unlock_streams();
}
