// cp.async and mbarrier.
//
// A copy reads its source when it is issued and writes its destination when its thread waits for it (or hands it to an
// mbarrier); in between the destination counts as never written, so the init check finds a read that comes too early.
// The race check sees the write twice: at the issue and at the end.
//
// An mbarrier is 64 bits of shared memory: arrivals still to come, arrivals of a phase, bytes of transactions still to
// come, number of the phase. arrive returns the word before it; a test compares phases.
#include "exec/async.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/access.h"
#include "exec/finding.h"
#include "exec/handlers.h"

#define LONGEST 16 // bytes of one copy

// A warp's cp.async instruction in flight: the lanes whose copy is not complete, and the group of each.
struct copy {
    struct insn in;
    uint32_t lanes, group[LANES];
    uint64_t to[LANES];
    uint8_t data[LANES][LONGEST];
};

struct async_queue {
    struct copy *copies;
    uint32_t count, capacity;
    uint32_t open[LANES]; // number of each lane's group that is being filled
};

static struct async_queue *queue_of(struct warp *w)
{
    if (!w->async)
        w->async = alloc_zeroed(1, sizeof *w->async);
    return w->async;
}

void async_forget(struct warp *w)
{
    if (!w->async)
        return;
    w->async->count = 0;
    memset(w->async->open, 0, sizeof w->async->open);
}

void async_free(struct warp *w)
{
    if (w->async)
        free(w->async->copies);
    free(w->async);
    w->async = NULL;
}

// ---- issuing

static struct copy *add_copy(struct async_queue *q)
{
    if (q->count == q->capacity) {
        q->capacity = q->capacity * 2 + 16;
        q->copies = alloc_resize(q->copies, q->capacity, sizeof *q->copies);
    }
    return &q->copies[q->count++];
}

static void perform_fetch(struct warp *w, struct access *a, const struct place *p)
{
    struct copy *c = &w->async->copies[w->async->count - 1];
    uint64_t at = (uint64_t)a->in->imm - (uint64_t)c->in.imm; // into the copy; see fetch
    FOR_LANES(l, a->mask)
    memcpy(c->data[l] + at, lane_place(p, a, l), a->size);
}

// Reads size bytes for the lanes of mask, starting at byte `at` of the source.
static void fetch(struct warp *w, struct insn part, uint32_t mask, uint32_t at, uint32_t size)
{
    uint32_t whole = w->mask;
    if (!mask)
        return;
    part.imm += at;
    part.size = (uint8_t)size;
    set_mask(w, mask);
    access_memory(w, &part, LOAD, perform_fetch);
    set_mask(w, whole);
}

static void perform_nothing(struct warp *w, struct access *a, const struct place *p)
{
    (void)p;
    FOR_LANES(l, a->mask)
    w->async->copies[w->async->count - 1].to[l] = a->addr[l];
    w->async->copies[w->async->count - 1].lanes |= a->mask;
}

// How many bytes lane l takes from its source; the rest is zero.
static uint32_t bytes_from_source(struct warp *w, const struct insn *in, uint32_t l)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    if (places[1] == NONE)
        return in->size;
    if (in->sub == COPY_IGNORES)
        return predicate(w, places[1]) >> l & 1 ? 0 : in->size;
    uint32_t n = ((const uint32_t *)row(w, places[1]))[l];
    return n < in->size ? n : in->size;
}

// a and imm: the source; target lists the destination's row, the source size's (or NONE), the destination's offset and
// whether its addresses have 32 bits.
void op_copy_async(struct warp *w, const struct insn *in)
{
    const uint32_t *places = w->path->frame->code->lists + in->target;
    struct async_queue *q = queue_of(w);
    struct copy *c = add_copy(q);
    struct insn from = *in, to = *in;
    uint32_t full = 0;
    memset(c, 0, sizeof *c);
    memcpy(c->group, q->open, sizeof c->group);
    c->in = *in;
    from.count = to.count = 1;
    FOR_LANES(l, w->mask)
    full |= (uint32_t)(bytes_from_source(w, in, l) == in->size) << l;
    fetch(w, from, full, 0, in->size);
    for (uint32_t at = 0; at < in->size && full != w->mask; at++) { // the others byte by byte
        uint32_t some = 0;
        FOR_LANES(l, w->mask & ~full)
        some |= (uint32_t)(at < bytes_from_source(w, in, l)) << l;
        fetch(w, from, some, at, 1);
    }
    to.a = places[0];
    to.imm = (int32_t)places[2];
    to.space = PTX_SHARED;
    to.order = (uint8_t)places[3];
    access_async(w, &to, ASYNC_ISSUED, c->data[0], LONGEST, perform_nothing);
}

// ---- completion

static void perform_copy(struct warp *w, struct access *a, const struct place *p)
{
    (void)w;
    FOR_LANES(l, a->mask)
    memcpy(lane_place(p, a, l), a->data + l * a->stride, a->size);
}

// clang-format off
// For every lane of the running path: completes its copies in groups before `before`.
static void finish_copies(struct warp *w, const uint32_t *before)
{
    struct async_queue *q = w->async;
    uint32_t kept = 0, whole = w->mask;
    for (uint32_t i = 0; q && i < q->count; i++) {
        struct copy *c = &q->copies[i];
        uint32_t done = 0;
        FOR_LANES(l, c->lanes & whole)
        done |= (uint32_t)(c->group[l] < before[l]) << l;
        if (done) {
            struct access a = {.in = &c->in, .kind = STORE, .space = PTX_SHARED, .mask = done, .size = c->in.size,
                               .addr = c->to, .data = c->data[0], .stride = LONGEST, .async = ASYNC_DONE};
            repeat_access(w, &a, perform_copy);
        }
        c->lanes &= ~done;
        if (c->lanes)
            q->copies[kept++] = *c;
    }
    if (q)
        q->count = kept;
}
// clang-format on

void op_commit_group(struct warp *w, const struct insn *in)
{
    (void)in;
    FOR_LANES(l, w->mask)
    queue_of(w)->open[l]++;
}

// imm: how many of the latest groups may still be in flight; -1: none, nor any copy outside a group.
void op_wait_group(struct warp *w, const struct insn *in)
{
    uint32_t before[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t open = queue_of(w)->open[l];
        before[l] = in->imm < 0 ? NONE : open > (uint64_t)in->imm ? open - (uint32_t)in->imm : 0;
    }
    finish_copies(w, before);
}

// ---- mbarrier

#define COUNT_BITS 20
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define BYTES_SHIFT (2 * COUNT_BITS)
#define BYTES_BITS 21 // signed: bytes may arrive before they are expected
#define PHASE_SHIFT (BYTES_SHIFT + BYTES_BITS)
#define MAX_BYTES ((INT64_C(1) << 20) - 1)

static uint64_t pack(uint64_t pending, uint64_t expected, int64_t bytes, uint64_t phase)
{
    uint64_t field = (uint64_t)bytes & ((UINT64_C(1) << BYTES_BITS) - 1);
    return pending | expected << COUNT_BITS | field << BYTES_SHIFT | phase << PHASE_SHIFT;
}

static int64_t bytes_of(uint64_t word)
{
    return (int64_t)(word << (64 - PHASE_SHIFT)) >> (64 - BYTES_BITS);
}

// The phase is complete when nothing is pending.
static uint64_t settled(uint64_t pending, uint64_t expected, int64_t bytes, uint64_t phase)
{
    return pending || bytes ? pack(pending, expected, bytes, phase) : pack(expected, expected, 0, phase + 1);
}

struct mbarrier_count mbarrier_count(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return (struct mbarrier_count){(uint32_t)(word & COUNT_MASK), (uint32_t)(word >> COUNT_BITS & COUNT_MASK),
                                   bytes_of(word)};
}

static void report_count(struct warp *w, const struct insn *in, uint32_t l, const char *what, uint64_t count)
{
    report(w->block, FINDING_SYNC, ERROR, in->id, NONE, "Barrier error detected. mbarrier at %s by %s: %s (%llu)",
           origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + l), what,
           (unsigned long long)count);
}

// Applies `count` arrivals; a drop also subtracts them from the expected count.
static uint64_t arrive(struct warp *w, const struct insn *in, uint32_t l, uint64_t word, uint64_t count)
{
    int64_t bytes = bytes_of(word);
    uint64_t pending = word & COUNT_MASK, expected = word >> COUNT_BITS & COUNT_MASK, phase = word >> PHASE_SHIFT;
    bool drop = in->sub == MBARRIER_DROP;
    if (count > pending) {
        report_count(w, in, l, "more arrive than are expected", count);
        count = pending;
    } else if (count == pending && in->count == MBARRIER_NO_COMPLETE)
        report_count(w, in, l, "an arrival with .noComplete completes the phase", count);
    pending -= count;
    expected -= drop ? count : 0;
    return settled(pending, expected, bytes, phase);
}

// Changes the expected number of bytes by `more`, which may be negative.
static uint64_t expect(struct warp *w, const struct insn *in, uint32_t l, uint64_t word, int64_t more)
{
    int64_t bytes = bytes_of(word) + more;
    if (bytes > MAX_BYTES || bytes < -MAX_BYTES) {
        report_count(w, in, l, "more than 1048575 bytes of transactions", (uint64_t)(bytes < 0 ? -bytes : bytes));
        bytes = bytes_of(word);
    }
    return settled(word & COUNT_MASK, word >> COUNT_BITS & COUNT_MASK, bytes, word >> PHASE_SHIFT);
}

// What an mbarrier holds after lane l's operation on it, with the value v.
static uint64_t changed(struct warp *w, const struct insn *in, uint32_t l, uint64_t word, uint64_t v)
{
    switch ((enum mbarrier_op)in->sub) {
    case MBARRIER_EXPECT: return expect(w, in, l, word, (int64_t)(uint32_t)v);
    case MBARRIER_COMPLETE: return expect(w, in, l, word, -(int64_t)(uint32_t)v);
    default: break;
    }
    if (in->count != MBARRIER_EXPECTS)
        return arrive(w, in, l, word, v);
    // arrive.expect_tx: the bytes are expected first, so that the arrival cannot complete the phase.
    int64_t bytes = bytes_of(word) + (int64_t)(uint32_t)v;
    if (bytes > MAX_BYTES)
        return expect(w, in, l, word, (int64_t)(uint32_t)v);
    return arrive(w, in, l, pack(word & COUNT_MASK, word >> COUNT_BITS & COUNT_MASK, bytes, word >> PHASE_SHIFT), 1);
}

// ---- mbarriers that are initialized again

struct mbarriers {
    uint32_t count, capacity;
    struct initialized {
        uint64_t offset; // in shared memory
        uint64_t expected;
    } * list;
};

void mbarriers_forget(struct block *b)
{
    if (b->known)
        free(b->known->list);
    free(b->known);
    b->known = NULL;
}

// The block's entry for the mbarrier, which is new if its `expected` is 0.
static struct initialized *initialized_at(struct block *b, uint64_t offset)
{
    if (!b->known)
        b->known = alloc_zeroed(1, sizeof *b->known);
    struct mbarriers *m = b->known;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->list[i].offset == offset)
            return &m->list[i];
    if (m->count == m->capacity) {
        m->capacity = 2 * m->capacity + 8;
        m->list = alloc_resize(m->list, m->capacity, sizeof *m->list);
    }
    m->list[m->count] = (struct initialized){.offset = offset};
    return &m->list[m->count++];
}

// PTX: to initialize a valid mbarrier again is undefined; mbarrier.inval must come first. On devices it does what it
// says, so arrivals of an unfinished phase are lost, and nothing else. If the word no longer expects what it was
// initialized with, the program has used it for something else.
static void check_init(struct warp *w, const struct access *a, uint32_t l, uint64_t word, uint64_t count)
{
    if (a->space != PTX_SHARED)
        return;
    struct initialized *m = initialized_at(w->block, a->addr[l]);
    uint64_t pending = word & COUNT_MASK, expected = word >> COUNT_BITS & COUNT_MASK;
    bool valid = m->expected && expected == m->expected && pending <= expected;
    const char *place = origin_place(w->block->launch->module, a->in->id);
    const char *thread = thread_name(w->block, w->index * LANES + l);
    m->expected = count & COUNT_MASK;
    if (valid && (pending < expected || bytes_of(word)))
        report(w->block, FINDING_SYNC, ERROR, a->in->id, NONE,
               "Barrier error detected. mbarrier at %s by %s: initialized again before its phase is complete, "
               "%llu of %llu have arrived%s",
               place, thread, (unsigned long long)(expected - pending), (unsigned long long)expected,
               bytes_of(word) ? ", and bytes are in flight" : "");
    else if (valid)
        report(w->block, FINDING_SYNC, INFORMATION, a->in->id, NONE,
               "Barrier error detected. mbarrier at %s by %s: initialized again, "
               "but mbarrier.inval (the destructor of cuda::barrier) is missing before it",
               place, thread);
}

void mbarrier_complete(struct warp *w, const struct insn *in, uint32_t l, uint8_t *at, uint32_t bytes)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = expect(w, in, l, word, -(int64_t)bytes);
    memcpy(at, &word, sizeof word);
}

bool mbarrier_same_phase(uint64_t a, uint64_t b)
{
    return a >> PHASE_SHIFT == b >> PHASE_SHIFT;
}

// Whether the arrivals of one instruction complete a phase that others have begun: the counters treat that as a block
// barrier. A phase that one warp completes alone is not one.
static bool completes_with_others(uint64_t before, uint64_t after)
{
    bool untouched = (before & COUNT_MASK) == (before >> COUNT_BITS & COUNT_MASK);
    return before >> PHASE_SHIFT != after >> PHASE_SHIFT && !untouched;
}

// The word before the instruction: its lanes that arrive at the same mbarrier do so one after another.
static uint64_t word_at_first(const struct access *a, const struct place *p, uint32_t lane, const uint64_t *old)
{
    FOR_LANES(l, a->mask & ((1u << lane) - 1))
    if (lane_place(p, a, l) == lane_place(p, a, lane))
        return old[l];
    return old[lane];
}

static void perform_mbarrier(struct warp *w, struct access *a, const struct place *p)
{
    const struct insn *in = a->in;
    const uint64_t *value = row(w, in->b);
    uint64_t *d = in->dst == NONE || in->sub == MBARRIER_TEST ? NULL : row(w, in->dst);
    uint32_t *done = in->sub == MBARRIER_TEST ? row(w, in->dst) : NULL;
    uint64_t olds[LANES];
    w->block->worker->changes += in->sub != MBARRIER_TEST;
    FOR_LANES(l, a->mask)
    {
        uint64_t *word = (uint64_t *)lane_place(p, a, l), old = *word, phase = old >> PHASE_SHIFT, v = value[l];
        bool passed = in->count == MBARRIER_PARITY ? (phase & 1) != (v & 1) : phase != v >> PHASE_SHIFT;
        if (in->sub == MBARRIER_INIT && (!v || v > COUNT_MASK))
            report_count(w, in, l, "an mbarrier expects 1 to 1048575 arrivals", v);
        if (in->sub == MBARRIER_INIT) {
            check_init(w, a, l, old, v);
            *word = pack(v & COUNT_MASK, v & COUNT_MASK, 0, 0);
        } else if (in->sub == MBARRIER_INVAL)
            *word = UINT64_MAX;
        else if (in->sub != MBARRIER_TEST) {
            olds[l] = old;
            *word = changed(w, in, l, old, v);
            w->block->worker->barriers += completes_with_others(word_at_first(a, p, l, olds), *word);
        }
        if (d)
            d[l] = old;
        if (done && passed && a->space == PTX_SHARED && w->block->cluster->bulk)
            bulk_passed(w->block, a->addr[l]);
        if (done && !passed && a->space == PTX_SHARED)
            w->mbarrier = (uint32_t)a->addr[l] + 1;
        if (done)
            *done = passed ? *done | 1u << l : *done & ~(1u << l);
    }
}

// b: a 64-bit row: how many arrive, or the state or parity to wait for.
void op_mbarrier(struct warp *w, const struct insn *in)
{
    if (in->sub == MBARRIER_TEST)
        w->mbarrier = 0;
    if (in->sub != MBARRIER_INIT && in->sub != MBARRIER_INVAL) { // these are stores
        access_memory(w, in, ATOMIC, perform_mbarrier);
        if (in->sub == MBARRIER_TEST && w->mbarrier)
            bulk_serve(w->block, w->mbarrier - 1);
        return;
    }
    struct insn one = *in;
    one.count = 1;
    access_async(w, &one, ASYNC_NONE, row(w, in->b), 8, perform_mbarrier);
}

// A thread's copies arrive at an mbarrier, and are complete now. .noinc: this counts as one of the expected arrivals.
void op_copies_arrive(struct warp *w, const struct insn *in)
{
    uint32_t all[LANES];
    memset(all, 0xff, sizeof all);
    finish_copies(w, all);
    if (in->scope)
        op_mbarrier(w, in);
}

void op_pending_count(struct warp *w, const struct insn *in)
{
    const uint64_t *state = row(w, in->a);
    uint32_t *d = row(w, in->dst);
    FOR_LANES(l, w->mask)
    d[l] = (uint32_t)(state[l] & COUNT_MASK);
}
