// Races between operations of different streams: two touch the same word, at least one writes it, and neither has ended
// when the other starts. See streams.h.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/check.h"
#include "check/race.h"
#include "check/streams.h"
#include "memory/memory.h"
#include "memory/other_host.h"
#include "report/settings.h"
#include "trace/calls.h"

#define REMEMBERED 1024 // operations; older ones count as ended

// What regions may touch, each from its first byte to its last. In ascending order of `from`; `end` is the largest end
// so far.
struct spans {
    uint32_t count;
    struct span {
        uint64_t from, end;
    } list[REMEMBERED];
};

static struct {
    pthread_mutex_t running; // held from operation_begin to operation_end
    pthread_mutex_t telling;
    uint64_t count;
    uint64_t latest[TIMELINES];
    struct operation ring[REMEMBERED];
    struct brief {
        uint64_t number;
        uint32_t timeline;
        bool constants;                         // the kernel has read constant memory
    } briefs[REMEMBERED];                       // stamps of the ring: each operation searches all of them
    const struct operation *copies[REMEMBERED]; // copies and fills that may overlap the current operation
    uint32_t copy_count;
    struct spans written, read; // bytes that they may touch
    uint64_t rivals;            // visitors (below) of kernels that may overlap it; 0: none
    uint64_t settled;           // of all operations up to this number the host knew at its start that they had ended
    struct order host;          // operations that the host has waited for
} operations = {.running = PTHREAD_MUTEX_INITIALIZER, .telling = PTHREAD_MUTEX_INITIALIZER};

uint64_t operation_number(void)
{
    return __atomic_add_fetch(&operations.count, 1, __ATOMIC_RELAXED);
}

static inline bool number_is_concurrent(const struct operation *op, uint64_t number, uint32_t timeline)
{
    return number && timeline != op->timeline && number > op->before.known[timeline];
}

static bool is_concurrent(const struct operation *op, const struct operation *past)
{
    return number_is_concurrent(op, past->number, past->timeline);
}

static inline bool place_is_concurrent(const struct operation *op, uint32_t place)
{
    return number_is_concurrent(op, operations.briefs[place].number, operations.briefs[place].timeline);
}

static uint64_t region_end(const struct region *r)
{
    return r->base + ((r->depth - 1) * r->rows + r->height - 1) * r->pitch + r->width;
}

static void add_span(struct spans *s, const struct region *r)
{
    if (r->width)
        s->list[s->count++] = (struct span){r->base, region_end(r)};
}

static int by_from(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void sort_spans(struct spans *s)
{
    qsort(s->list, s->count, sizeof *s->list, by_from);
    for (uint32_t i = 1; i < s->count; i++)
        if (s->list[i].end < s->list[i - 1].end)
            s->list[i].end = s->list[i - 1].end;
}

// Whether one of the regions may touch a byte of [from, end).
static bool spans_touch(const struct spans *s, uint64_t from, uint64_t end)
{
    uint32_t before = 0, limit = s->count; // number of regions that begin before `end`
    while (before < limit) {
        uint32_t middle = (before + limit) / 2;
        if (s->list[middle].from < end)
            before = middle + 1;
        else
            limit = middle;
    }
    return before && s->list[before - 1].end > from;
}

// Whether copies and fills that may overlap the current operation may touch these bytes, and one of the two writes.
static bool copies_touch(uint64_t from, uint64_t end, bool writes)
{
    return spans_touch(&operations.written, from, end) || (writes && spans_touch(&operations.read, from, end));
}

static void note_copy(const struct operation *copy)
{
    operations.copies[operations.copy_count++] = copy;
    add_span(&operations.written, &copy->writes);
    add_span(&operations.read, &copy->reads);
}

// ---- which kernels have touched a page of VISITS bytes

// A page's word (memory_visits): the number of the last operation there, and the set of its visitors, which are
// timelines or groups of them. Visits that the host has waited for are forgotten at the next one.
#define VISITORS 24

static inline uint64_t visitor_of(uint32_t timeline)
{
    return UINT64_C(1) << timeline % VISITORS;
}

void operation_visits(const struct operation *op, uint64_t address)
{
    uint64_t *page = memory_visits(address), own = visitor_of(op->timeline);
    uint64_t old = page ? __atomic_load_n(page, __ATOMIC_RELAXED) : 0, new;
    if (!page || (old >> VISITORS == op->number && old & own))
        return;
    do {
        uint64_t others = old >> VISITORS > operations.settled ? old & ((UINT64_C(1) << VISITORS) - 1) : 0;
        new = op->number << VISITORS | others | own;
    } while (!__atomic_compare_exchange_n(page, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

#define MANY_PAGES 64 // an access to more is not looked up

// Whether kernels that may overlap the current operation may have touched these bytes.
static bool kernels_touch(uint64_t from, uint64_t end)
{
    if (!operations.rivals || end - from > MANY_PAGES * VISITS)
        return operations.rivals;
    for (uint64_t at = from / VISITS * VISITS; at < end; at += VISITS) {
        const uint64_t *page = memory_visits(at < from ? from : at);
        uint64_t visits = page ? __atomic_load_n(page, __ATOMIC_RELAXED) : 0;
        if (!page || (visits & operations.rivals && visits >> VISITORS > operations.settled))
            return true;
    }
    return false;
}

bool operation_is_alone(const struct operation *op, const struct access *a)
{
    return !op->parent && (!op->crowded || (!kernels_touch(a->low, a->high) && !copies_touch(a->low, a->high, true)));
}

// Up to which number the host knows of all operations that they have ended.
static uint64_t settled_before(uint64_t number)
{
    uint64_t settled = number - 1;
    for (uint32_t t = 0; t < TIMELINES; t++) {
        uint64_t known = __atomic_load_n(&operations.host.known[t], __ATOMIC_RELAXED);
        if (operations.latest[t] > known && known < settled)
            settled = known;
    }
    return settled;
}

static bool is_device(const struct region *r)
{
    const struct allocation *a = memory_find(r->base);
    return a && a->kind != MEMORY_HOST && a->kind != MEMORY_REGISTERED;
}

static void trace_it(const struct operation *op)
{
    bool copy = op->reads.width > 0;
    const struct traced_operation t = {
        .number = op->number,
        .kind = op->module ? "kernel"
                : copy     ? "copy"
                           : "fill",
        .name = op->name,
        .where = op->where,
        .way = !copy                     ? ""
               : !is_device(&op->writes) ? "to the host"
               : is_device(&op->reads)   ? "on the device"
                                         : "to the device",
        .bytes = op->writes.width * op->writes.height * op->writes.depth,
        .after = {op->before.known, TIMELINES},
    };
    trace_operation(&t);
}

void operation_begin(struct operation *op)
{
    if (!op->nested && settings()->check_race && !other_host()) // for reports of races; the other host's are not seen
        host_frames(&op->caller);
    pthread_mutex_lock(&operations.running);
    op->number = operation_number();
    trace_it(op);
    for (uint32_t t = 0; t < TIMELINES; t++)
        op->crowded |= t != op->timeline && operations.latest[t] > op->before.known[t];
    operations.copy_count = operations.written.count = operations.read.count = 0;
    operations.rivals = 0;
    operations.settled = settled_before(op->number);
    for (uint32_t i = 0; op->crowded && i < REMEMBERED; i++) {
        if (!place_is_concurrent(op, i))
            continue;
        if (operations.ring[i].by_host && op->module) // they may share a flag
            continue;
        if (operations.ring[i].module)
            operations.rivals |= visitor_of(operations.briefs[i].timeline);
        else
            note_copy(&operations.ring[i]);
    }
    sort_spans(&operations.written);
    sort_spans(&operations.read);
}

void operation_end(const struct operation *op)
{
    operations.latest[op->timeline] = op->number;
    uint32_t place = race_stamp(op->number) % REMEMBERED;
    operations.ring[place] = *op;
    operations.briefs[place] = (struct brief){op->number, op->timeline, op->constants[0].end > 0};
    pthread_mutex_unlock(&operations.running);
}

// Whether op is a copy for which it matters that the kernel may overlap it.
static bool copy_may_overlap(const struct operation *op, const struct operation *kernel)
{
    bool given = op->page_locked;
    for (uint32_t i = 0; !given && !kernel->between_devices && i < sizeof op->moved / sizeof *op->moved; i++)
        for (uint32_t k = 0; op->moved[i] && k < sizeof kernel->memory / sizeof *kernel->memory; k++)
            given |= kernel->memory[k] == op->moved[i];
    return kernel->module && given;
}

static uint32_t note_overlap(struct operation *op, const struct operation *kernel)
{
    if (op->overlaps || !copy_may_overlap(op, kernel))
        return 0;
    op->overlaps = true;
    return 1;
}

uint32_t operation_overlaps(struct operation *op)
{
    uint32_t found = 0;
    for (uint32_t i = 0; op->crowded && i < REMEMBERED; i++) {
        struct operation *past = &operations.ring[i];
        if (place_is_concurrent(op, i))
            found += note_overlap(op, past) + note_overlap(past, op);
    }
    return found;
}

// The operation with that stamp if it may overlap op; else NULL.
static const struct operation *rival(const struct operation *op, uint32_t stamp)
{
    const struct operation *past = &operations.ring[stamp % REMEMBERED];
    return stamp && past->number && race_stamp(past->number) == stamp && is_concurrent(op, past) ? past : NULL;
}

const struct operation *operation_stamped(uint32_t stamp)
{
    const struct operation *op = &operations.ring[stamp % REMEMBERED];
    return stamp && op->number && race_stamp(op->number) == stamp ? op : NULL;
}

// Whether the grid that launched the work made the recorded access concurrently with it, or later. For other blocks
// this is known only if barriers alone order threads.
static bool overlaps_child(const struct given *g, const struct record *r)
{
    if (r->block != (uint32_t)g->block)
        return g->exact;
    if (r->thread == g->thread)
        return r->clock > g->clock;
    bool same_warp = r->thread / LANES == g->thread / LANES;
    bool before = r->clock < g->floor || (same_warp && r->clock < g->lane_floor);
    return r->clock > g->latest || (g->exact && !before);
}

// The operation that made the record if it may overlap op; else NULL.
static const struct operation *conflicting_operation(const struct operation *op, const struct record *r)
{
    bool parent = op->parent && r->stamp == race_stamp(op->parent);
    if (!parent)
        return rival(op, r->stamp);
    return overlaps_child(&op->given, r) ? operation_stamped(r->stamp) : NULL;
}

// ---- reports

// One side of a race: a kernel's instruction, or a copy or fill.
struct party {
    const struct operation *op;
    enum access_kind kind;
    uint32_t id;
};

// Writes " (given at sum.cu:29)", if the host's line is known.
static const char *submitted_at(const struct operation *op, char out[HOST_LINE + 16])
{
    char line[HOST_LINE];
    out[0] = 0;
    if (host_frames_line(&op->caller, line))
        snprintf(out, HOST_LINE + 16, " (given at %s)", line);
    return out;
}

static const char *side_text(const struct party *p, char *out, size_t size)
{
    static const char *const verbs[] = {[LOAD] = "read", [STORE] = "write", [ATOMIC] = "atomic"};
    char given[HOST_LINE + 16];
    if (p->op->module)
        snprintf(out, size, "%s %s by %s in %s%s", origin_place(p->op->module, p->id), verbs[p->kind], p->op->name,
                 p->op->where, submitted_at(p->op, given));
    else
        snprintf(out, size, "%s by %s in %s%s", verbs[p->kind], p->op->name, p->op->where, submitted_at(p->op, given));
    return out;
}

static const struct ptx_instr *instr_at(const struct party *p)
{
    return p->op->module ? instr_of(p->op->module, p->id) : NULL;
}

static const char *missing_order(const struct operation *past, const struct operation *now)
{
    if (now->parent == past->number)
        return "a launch into cudaStreamTailLaunch, or all of the grid's own work before a barrier and the launch,";
    if (past->nested && now->nested)
        return "a launch of both by one block into one stream, or into cudaStreamTailLaunch,";
    return strcmp(past->where, now->where) ? "an event to wait for or a synchronization"
                                           : "a dependency of the graph's nodes";
}

static void copy_place(const struct party *p, char *out, size_t size)
{
    snprintf(out, size, "%s", p->op->module ? origin_place(p->op->module, p->id) : "");
}

static void trace_conflict(const struct party *past, const struct party *now, enum severity severity, const char *words)
{
    char places[2][300];
    copy_place(past, places[0], sizeof places[0]);
    copy_place(now, places[1], sizeof places[1]);
    trace_race(&(struct traced_race){.first = past->op->number,
                                     .second = now->op->number,
                                     .severity = severity == ERROR ? "error" : "information",
                                     .words = words,
                                     .missing = missing_order(past->op, now->op),
                                     .places = {places[0], places[1]}});
}

__attribute__((format(printf, 4, 5))) static void emit_finding(const struct party *past, const struct party *now,
                                                               enum severity severity, const char *format, ...)
{
    const struct module *m = now->op->module ? now->op->module : past->op->module;
    const struct finding f = {.kind = FINDING_STREAMS,
                              .severity = severity,
                              .module = m ? m->ptx : NULL,
                              .at = instr_at(now),
                              .other = instr_at(past),
                              .other_module = past->op->module ? past->op->module->ptx : NULL};
    char words[2000];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    vsnprintf(words, sizeof words, format, again);
    va_end(again);
    report_finding(&f, "", format, args);
    va_end(args);
    trace_conflict(past, now, severity, words);
}

// Reports once per pair of operations, and only a few of an operation's conflicts.
static void tell(struct operation *op, const struct party *past, const struct party *now, uint64_t address, bool same)
{
    char first[600], second[600];
    const struct allocation *a = memory_find(address);
    pthread_mutex_lock(&operations.telling);
    bool already_reported = op->reported_count == sizeof op->reported / sizeof *op->reported;
    for (uint32_t i = 0; i < op->reported_count; i++)
        already_reported |= op->reported[i] == past->op;
    if (!already_reported)
        op->reported[op->reported_count++] = past->op;
    pthread_mutex_unlock(&operations.telling);
    if (already_reported)
        return;
    emit_finding(past, now, same ? INFORMATION : ERROR,
                 "Race (%s) between streams: %s, %s, byte %llu of an allocation of %llu bytes; nothing orders them: "
                 "%s is missing%s",
                 past->kind == LOAD  ? "WAR"
                 : now->kind == LOAD ? "RAW"
                                     : "WAW",
                 side_text(past, first, sizeof first), side_text(now, second, sizeof second),
                 a ? (unsigned long long)(address - a->base) : 0, a ? (unsigned long long)a->size : 0,
                 missing_order(past->op, now->op), same ? " (both write the same value)" : "");
}

// ---- regions

// The first byte of [from, end) that lies in the region; 0 if none does.
static uint64_t first_inside(const struct region *r, uint64_t from, uint64_t end)
{
    if (!r->width || end <= r->base || from >= region_end(r))
        return 0;
    uint64_t slice = r->pitch * r->rows, at = from > r->base ? from - r->base : 0;
    uint64_t z = slice ? at / slice : 0, y = r->pitch ? (at - z * slice) / r->pitch : 0;
    for (; z < r->depth; z++, y = 0)
        for (; y < r->height; y++) {
            uint64_t row = r->base + z * slice + y * r->pitch;
            if (row >= end)
                return 0;
            if (from < row + r->width)
                return from > row ? from : row;
        }
    return 0;
}

// Calls see for every row of the region until that returns true.
static void each_row(struct operation *op, const struct region *r, bool writes,
                     bool (*see)(struct operation *op, uint64_t from, uint64_t end, bool writes))
{
    for (uint64_t z = 0; r->width && z < r->depth; z++)
        for (uint64_t y = 0; y < r->height; y++) {
            uint64_t row = r->base + (z * r->rows + y) * r->pitch;
            if (see(op, row, row + r->width, writes))
                return;
        }
}

// ---- copies and fills

// Checks one row of a copy or fill against earlier copies and fills.
static bool row_against_regions(struct operation *op, uint64_t from, uint64_t end, bool writes)
{
    uint32_t count = copies_touch(from, end, writes) ? operations.copy_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct operation *past = operations.copies[i];
        uint64_t written = first_inside(&past->writes, from, end);
        uint64_t read = writes ? first_inside(&past->reads, from, end) : 0;
        const struct party before = {past, written ? STORE : LOAD, NONE}, now = {op, writes ? STORE : LOAD, NONE};
        if (written || read)
            tell(op, &before, &now, written ? written : read, false);
    }
    return false;
}

static void word_against_record(struct operation *op, uint64_t address, const struct record *r, bool write_record,
                                bool writes)
{
    const struct operation *past = conflicting_operation(op, r);
    const struct party now = {op, writes ? STORE : LOAD, NONE};
    if (!past)
        return;
    const struct party before = {past, !write_record ? LOAD : r->atomic ? ATOMIC : STORE, r->id};
    tell(op, &before, &now, address, false);
}

// Checks against kernels.
static bool row_against_records(struct operation *op, uint64_t from, uint64_t end, bool writes)
{
    if (!memory_holds(from, end - from)) // of the host
        return true;
    const uint64_t first = from & ~UINT64_C(3);
    for (uint64_t at = first; at < end; at += 4) {
        if (!op->parent && (at == first || at % VISITS == 0) && !kernels_touch(at, at + 1)) {
            at = (at | (VISITS - 1)) - 3;
            continue;
        }
        word_against_record(op, at, memory_write_records(at), true, writes);
        if (writes) {
            word_against_record(op, at, memory_read_records(at), false, true);
            word_against_record(op, at, memory_earlier_reads(at), false, true);
        }
    }
    return false;
}

// Checks against what kernels have read of constant memory.
static bool row_against_constants(struct operation *op, uint64_t from, uint64_t end, bool writes)
{
    const struct party now = {op, STORE, NONE};
    (void)writes;
    for (uint32_t i = 0; i < REMEMBERED; i++) {
        const struct operation *past = &operations.ring[i];
        for (uint32_t k = 0; operations.briefs[i].constants && k < CONSTANTS; k++) {
            const struct constant_reads *c = &past->constants[k];
            if (c->end > from && c->from < end && is_concurrent(op, past))
                tell(op, &(struct party){past, LOAD, c->id}, &now, c->from > from ? c->from : from, false);
        }
    }
    return false;
}

void operation_check(struct operation *op)
{
    if (operations.copy_count) {
        each_row(op, &op->reads, false, row_against_regions);
        each_row(op, &op->writes, true, row_against_regions);
    }
    if (!operations.rivals && !op->parent)
        return;
    each_row(op, &op->reads, false, row_against_records);
    each_row(op, &op->writes, true, row_against_records);
    each_row(op, &op->writes, true, row_against_constants);
}

// ---- kernels

// Two atomics, or accesses that promise to be seen by each other, do not race.
static bool both_strong(const struct access *a, const struct record *r)
{
    if (starts_cas(a) && r->atomic)
        return true;
    return (r->atomic || r->strong) && (a->kind == ATOMIC || a->in->order & (ORDER_STRONG | ORDER_VOLATILE));
}

static void word_of_kernel(struct warp *w, const struct access *a, uint32_t l, uint64_t address, uint32_t bytes)
{
    struct operation *op = w->block->launch->operation;
    const struct record *write = race_write_of(address), *read = race_read_of(address);
    struct record *earlier = memory_earlier_reads(address);
    const struct party now = {op, a->kind, a->in->id};
    const struct operation *past = conflicting_operation(op, write);
    if (past && write->bytes & bytes && !both_strong(a, write)) {
        const struct party before = {past, write->atomic ? ATOMIC : STORE, write->id};
        bool same = a->kind == STORE && !write->atomic &&
                    !memcmp((const void *)(uintptr_t)a->addr[l], a->data + l * a->stride, a->size);
        tell(op, &before, &now, a->addr[l], same);
    }
    past = conflicting_operation(op, read);
    if (past && a->kind == LOAD)
        *earlier = *read; // its place in the ring is about to be reused
    else if (past && read->bytes & bytes && !both_strong(a, read))
        tell(op, &(struct party){past, LOAD, read->id}, &now, a->addr[l], false);
    past = a->kind == LOAD ? NULL : conflicting_operation(op, earlier);
    if (past && earlier->bytes & bytes && !both_strong(a, earlier))
        tell(op, &(struct party){past, LOAD, earlier->id}, &now, a->addr[l], false);
}

static void lane_against_regions(struct warp *w, const struct access *a, uint32_t l)
{
    struct operation *op = w->block->launch->operation;
    uint64_t from = a->addr[l], end = from + a->size;
    uint32_t count = copies_touch(from, end, a->kind != LOAD) ? operations.copy_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct operation *past = operations.copies[i];
        bool written = first_inside(&past->writes, from, end);
        if (written || (a->kind != LOAD && first_inside(&past->reads, from, end)))
            tell(op, &(struct party){past, written ? STORE : LOAD, NONE}, &(struct party){op, a->kind, a->in->id}, from,
                 false);
    }
}

// The kernel's entry for the variable at address, or a free one; NULL: it has read too many.
static struct constant_reads *constant_note(struct operation *op, uint64_t address)
{
    const struct allocation *variable = memory_find(address);
    for (uint32_t k = 0; variable && k < CONSTANTS; k++) {
        struct constant_reads *c = &op->constants[k];
        if (!c->end || (c->from >= variable->base && c->from < variable->base + variable->size))
            return c;
    }
    return NULL;
}

static bool is_noted(const struct operation *op, const struct access *a)
{
    bool noted = false;
    for (uint32_t k = 0; k < CONSTANTS && !noted; k++)
        noted = a->low >= __atomic_load_n(&op->constants[k].from, __ATOMIC_RELAXED) &&
                a->high <= __atomic_load_n(&op->constants[k].end, __ATOMIC_RELAXED);
    return noted;
}

static void note_constant(struct operation *op, const struct access *a)
{
    pthread_mutex_lock(&operations.telling);
    struct constant_reads *c = constant_note(op, a->low);
    if (c) {
        uint64_t from = c->end && c->from < a->low ? c->from : a->low;
        c->id = a->in->id;
        __atomic_store_n(&c->from, from, __ATOMIC_RELAXED);
        __atomic_store_n(&c->end, c->end > a->high ? c->end : a->high, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&operations.telling);
}

// Constant memory has no records: notes what the lanes read there, and checks it against copies.
static void constant_access(struct warp *w, const struct access *a)
{
    struct operation *op = w->block->launch->operation;
    if (!op)
        return;
    if (!is_noted(op, a))
        note_constant(op, a);
    FOR_LANES(l, op->crowded ? a->mask : 0)
    lane_against_regions(w, a, l);
}

static void note_printed(struct launch *launch, const struct worker *workers)
{
    (void)workers;
    if (launch->operation)
        launch->operation->printed = atomic_load(&launch->printed) > 0;
}

const struct observer constant_check = {.constant_access = constant_access, .launch_end = note_printed};

// Whether bytes of the word at address have their own records.
static bool in_bytes(uint64_t address)
{
    return race_write_of(address) != memory_write_records(address) ||
           race_read_of(address) != memory_read_records(address);
}

void contended_access(struct warp *w, const struct access *a, uint32_t lanes)
{
    const struct operation *op = w->block->launch->operation;
    bool copies = copies_touch(a->low, a->high, a->kind != LOAD), rivals = op->parent || kernels_touch(a->low, a->high);
    FOR_LANES(l, copies || rivals ? lanes : 0)
    {
        uint64_t end = a->addr[l] + a->size;
        bool kernels = rivals && (op->parent || kernels_touch(a->addr[l], end));
        if (copies)
            lane_against_regions(w, a, l);
        for (uint64_t at = a->addr[l]; kernels && at < end;) {
            bool whole = a->size >= 4 && !in_bytes(at);
            word_of_kernel(w, a, l, at, whole ? 15 : 1u << (at & 3));
            at += whole ? 4 : 1;
        }
    }
}

// ---- the host

void operation_host_knows(const struct order *over)
{
    for (uint32_t t = 0; t < TIMELINES; t++)
        __atomic_store_n(&operations.host.known[t], over->known[t], __ATOMIC_RELAXED);
}

// On a device the output stays in a buffer until the host waits, and is lost if the program ends before that.
void report_unflushed(void)
{
    // In a short program most of the ring is untouched memory: reading its pages would cost more than the program's
    // start.
    uint64_t first = operations.count < REMEMBERED ? 1 : operations.count - REMEMBERED + 1;
    for (uint64_t number = first; number <= operations.count; number++) {
        const struct operation *op = &operations.ring[race_stamp(number) % REMEMBERED];
        if (!op->printed || op->number <= operations.host.known[op->timeline])
            continue;
        complain("the program ends before it has waited for %s in %s: on a GPU what its threads print is lost; "
                 "cudaDeviceSynchronize is missing",
                 op->name, op->where);
        return;
    }
}

// The kernel that made the record, if the host has not waited for it.
static const struct operation *unseen(const struct record *r)
{
    const struct operation *op = &operations.ring[r->stamp % REMEMBERED];
    bool known = r->stamp && op->number && race_stamp(op->number) == r->stamp;
    return known && op->module && op->number > operations.host.known[op->timeline] ? op : NULL;
}

// An access intended for the concurrently running host: a flag, or a counter for both.
static bool is_signal(const struct operation *op, const struct record *r)
{
    const char *text = r->id < op->module->origin_count ? op->module->origins[r->id].ptx->op : "";
    return strstr(text, ".volatile") || strstr(text, ".sys");
}

enum verdict operation_judge(uint64_t address, bool write, char *text, size_t size)
{
    const struct record *r = race_write_of(address);
    const struct operation *op = unseen(r);
    const struct allocation *a = memory_find(address);
    bool wrote = op != NULL;
    if (op && is_signal(op, r))
        return VERDICT_SIGNAL;
    if (!op && write) {
        r = race_read_of(address);
        op = unseen(r);
        if (op && is_signal(op, r)) // a flag that the kernel waits for
            return VERDICT_INNOCENT;
    }
    if (!op)
        return VERDICT_INNOCENT;
    snprintf(text, size,
             "simt: error: the host %s byte %llu of %llu bytes before it has waited for %s in %s, which %s them at %s: "
             "cudaDeviceSynchronize is missing",
             write ? "writes" : "reads", (unsigned long long)(address - a->base), (unsigned long long)a->size, op->name,
             op->where, wrote ? "writes" : "reads", origin_place(op->module, r->id));
    trace_host_touch(op->number, text);
    return VERDICT_GUILTY;
}
