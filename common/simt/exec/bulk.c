// Bulk copies (cp.async.bulk).
//
// A thread orders a copy; the bytes move by themselves. Where checks are on they come at the last moment: when a test
// finds the phase of their mbarrier incomplete, when a wait for their group needs them, or when the block ends. So a
// program that forgets to wait gets the wrong bytes, and check/race_bulk.c sees every access to what is in flight. In
// a random order they may come at any time before. Without checks, and in order, they come at once.
//
// Observers hear of both ends when the copy is issued, by pieces of 16 bytes, as accesses of the thread that issued it.
// What the mbarrier releases when the bytes come is what this thread had done by then: observers hear of it at the
// issue, too.
#include "exec/bulk.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "report/errors.h"

#define PIECE 16 // bytes

struct piece {
    uint8_t bytes[PIECE]; // what a store writes
    uint8_t *place;       // where it lies; NULL: it is out of bounds
};

static struct bulk_queue *queue_of(const struct block *b)
{
    if (!b->cluster->bulk)
        b->cluster->bulk = alloc_zeroed(1, sizeof *b->cluster->bulk);
    return b->cluster->bulk;
}

static uint32_t take_out(struct bulk_queue *q, uint32_t i)
{
    free(q->list[i].data);
    for (uint32_t k = i + 1; k < q->count; k++)
        q->list[k - 1] = q->list[k];
    return --q->count;
}

void bulk_forget(struct cluster *c)
{
    while (c->bulk && c->bulk->count)
        take_out(c->bulk, c->bulk->count - 1);
    if (c->bulk)
        free(c->bulk->list);
    free(c->bulk);
    c->bulk = NULL;
}

bool bulk_in_flight(const struct bulk *c)
{
    return !c->waited;
}

// Whether bytes come at the last moment, or at any time before.
static bool comes_late(const struct launch *launch)
{
    const struct settings *s = settings();
    return s->check_race || s->check_init || s->check_sync || launch->schedule != SCHEDULE_ORDER;
}

// ---- arrival

static void take_source(struct bulk *c)
{
    if (c->data)
        return;
    c->data = alloc_more(NULL, 1, c->bytes);
    memcpy(c->data, c->from, c->bytes);
}

// Tells the mbarrier that the bytes have come.
static void complete(struct bulk *c)
{
    memcpy(&c->word, c->barrier, sizeof c->word);
    mbarrier_complete(c->warp, &c->in, c->lane, c->barrier, c->bytes);
}

// Who reads the result before its thread has waited races with this.
static void write_again(struct bulk *c)
{
    struct insn in = c->in;
    in.space = PTX_GLOBAL;
    in.order = 0;
    for (uint32_t at = 0; at < c->bytes; at += PIECE)
        access_lane(c->warp,
                    &(struct access){.in = &in, .kind = STORE, .size = PIECE, .data = c->data + at, .async = BULK_DONE},
                    c->lane, c->to_address + at, access_nothing);
}

static void bring(struct bulk *c)
{
    if (c->arrived)
        return;
    take_source(c);
    c->arrived = true;
    memcpy(c->to, c->data, c->bytes);
    c->warp->block->worker->changes++;
    if (c->barrier)
        complete(c);
}

// Forgets copies whose phase is complete.
static void sweep(struct bulk_queue *q)
{
    for (uint32_t i = q->count; i-- > 0;)
        if (!bulk_in_flight(&q->list[i]))
            take_out(q, i);
}

void bulk_serve(struct block *b, uint64_t offset)
{
    struct bulk_queue *q = b->cluster->bulk;
    uint8_t *barrier = b->shared + offset;
    uint64_t before, now;
    if (!q || !q->count)
        return;
    memcpy(&before, barrier, sizeof before);
    uint32_t start = b->launch->schedule == SCHEDULE_RANDOM ? random_bits(b->worker) % q->count : 0;
    for (uint32_t i = 0; i < q->count; i++) {
        struct bulk *c = &q->list[(i + start) % q->count];
        if (c->barrier == barrier)
            bring(c);
        memcpy(&now, barrier, sizeof now);
        if (!mbarrier_same_phase(before, now))
            break;
    }
    sweep(q);
}

void bulk_passed(struct block *b, uint64_t offset)
{
    struct bulk_queue *q = b->cluster->bulk;
    uint64_t now;
    memcpy(&now, b->shared + offset, sizeof now);
    for (uint32_t i = 0; q && i < q->count; i++) {
        struct bulk *c = &q->list[i];
        c->waited |= c->arrived && c->barrier == b->shared + offset && !mbarrier_same_phase(now, c->word);
    }
    if (q)
        sweep(q);
}

void bulk_turn(struct block *b)
{
    struct bulk_queue *q = b->cluster->bulk;
    for (uint32_t i = 0; q && i < q->count && b->launch->schedule == SCHEDULE_RANDOM; i++)
        if (random_bits(b->worker) % 4 == 0)
            bring(&q->list[i]);
    if (q)
        sweep(q);
}

static bool belongs_to(const struct bulk *c, const struct block *b)
{
    return c->warp->block == b || (c->to >= b->shared && c->to < b->shared + shared_size(b->launch));
}

// The block ends, and its memory may go to another one at any time. Reading a source may be over before the rest.
static void report_left(const struct bulk *c)
{
    struct block *b = c->warp->block;
    if (settings()->check_sync && !c->source_free)
        report(b, FINDING_SYNC, ERROR, c->in.id, NONE,
               "Barrier error detected. The bulk copy at %s by %s is in flight when the block ends: %s",
               origin_place(b->launch->module, c->in.id), thread_name(b, c->warp->index * LANES + c->lane),
               c->barrier ? "nothing has waited for the phase of its mbarrier"
                          : "no cp.async.bulk.wait_group covers it");
}

void bulk_block_end(struct block *b)
{
    struct bulk_queue *q = b->cluster->bulk;
    for (uint32_t i = q ? q->count : 0; i-- > 0;)
        if (belongs_to(&q->list[i], b)) {
            report_left(&q->list[i]);
            bring(&q->list[i]);
            take_out(q, i);
        }
}

// ---- groups

void op_bulk_commit(struct warp *w, const struct insn *in)
{
    struct bulk_queue *q = queue_of(w->block);
    (void)in;
    for (uint32_t i = 0; i < q->count; i++)
        if (q->list[i].warp == w && w->mask >> q->list[i].lane & 1 && !q->list[i].barrier)
            q->list[i].after++;
}

// imm: how many of the latest groups may still be in flight; sub: only their sources have to be free.
void op_bulk_wait(struct warp *w, const struct insn *in)
{
    struct bulk_queue *q = queue_of(w->block);
    for (uint32_t i = q->count; i-- > 0;) {
        struct bulk *c = &q->list[i];
        if (c->warp != w || !(w->mask >> c->lane & 1) || c->barrier || c->after < in->imm)
            continue;
        take_source(c);
        c->source_free = true;
        if (in->sub)
            continue;
        bring(c);
        write_again(c);
        take_out(q, i);
    }
}

// ---- issuing

static uint64_t lane_address(const struct warp *w, const uint32_t *list, uint32_t l)
{
    uint64_t offset = list[1] | (uint64_t)list[2] << 32;
    if (list[0] == NONE)
        return offset;
    if (list[3] & BULK_NARROW)
        return (uint32_t)(((const uint32_t *)row(w, list[0]))[l] + (uint32_t)offset);
    return ((const uint64_t *)row(w, list[0]))[l] + offset;
}

static const char *space_word(uint32_t space)
{
    return (space & ~BULK_NARROW) == PTX_GLOBAL ? "__global__" : "__shared__";
}

// 16 bytes are the unit of bulk copies.
static bool is_aligned(struct warp *w, const struct insn *in, const struct bulk *c, uint64_t from, const uint32_t *list)
{
    bool write = c->to_address % PIECE != 0;
    if (!write && from % PIECE == 0 && c->bytes % PIECE == 0)
        return true;
    struct scene s = scene_of_lane(w, c->lane);
    report_scene(w->block, &s, FINDING_MEMORY, ERROR, in->id, NONE - 2,
                 "Misaligned %s %s of size %u at %s by %s: "
                 "a bulk copy takes addresses and a size that are multiples of 16",
                 space_word(list[write ? BULK_TO + 3 : BULK_FROM + 3]), write ? "write" : "read", c->bytes,
                 origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + c->lane));
    fail_launch(w->block->launch, CUDA_ERROR_MISALIGNED_ADDRESS);
    return false;
}

static void perform_note(struct warp *w, struct access *a, const struct place *p)
{
    (void)w;
    FOR_LANES(l, a->mask)
    ((struct piece *)(uintptr_t)a->data)->place = lane_place(p, a, l);
}

// Tells observers of all pieces at one end of the copy. Returns where they lie; NULL: not all within bounds.
static uint8_t *touch(struct warp *w, const struct bulk *c, const struct insn *as, enum access_kind kind,
                      uint64_t address)
{
    struct piece piece = {.place = NULL};
    uint8_t *first = NULL;
    for (uint32_t at = 0; at < c->bytes; at += PIECE) {
        if (kind != LOAD)
            memcpy(piece.bytes, c->from + at, PIECE);
        piece.place = NULL;
        access_lane(w,
                    &(struct access){.in = as, .kind = kind, .size = PIECE, .data = piece.bytes, .async = BULK_ISSUED},
                    c->lane, address + at, perform_note);
        if (!piece.place)
            return NULL;
        first = at ? first : piece.place;
    }
    return first;
}

static void add_copy(struct warp *w, const struct bulk *c)
{
    struct bulk_queue *q = queue_of(w->block);
    if (q->count == q->capacity) {
        q->capacity = q->capacity * 2 + 16;
        q->list = alloc_more(q->list, q->capacity, sizeof *q->list);
    }
    q->list[q->count++] = *c;
    if (!comes_late(w->block->launch)) {
        bring(&q->list[q->count - 1]);
        sweep(q);
    }
}

// An operation on an mbarrier, and where it lies.
struct mark {
    struct insn in;
    uint8_t *barrier;
};

static void perform_mark(struct warp *w, struct access *a, const struct place *p)
{
    (void)w;
    FOR_LANES(l, a->mask)
    ((struct mark *)(uintptr_t)a->in)->barrier = lane_place(p, a, l);
}

// Tells observers that the mbarrier will release what the thread has done. NULL: there is none.
static uint8_t *mark_barrier(struct warp *w, const struct bulk *c)
{
    struct mark m = {.in = c->in};
    m.in.sub = MBARRIER_COMPLETE;
    m.in.count = MBARRIER_PLAIN;
    m.in.size = 8;
    m.in.space = SPACE_CLUSTER;
    m.in.scope = SCOPE_CLUSTER;
    m.in.order = ORDER_STRONG | ORDER_RELEASE;
    access_lane(w, &(struct access){.in = &m.in, .kind = ATOMIC, .size = 8, .async = BULK_ISSUED}, c->lane,
                c->barrier_address, perform_mark);
    return m.barrier;
}

// c is complete but for its places.
static void issue_to(struct warp *w, const struct insn *in, struct bulk *c, uint32_t space)
{
    struct insn as = *in;
    as.space = (uint8_t)space;
    as.order = 0;
    c->to_space = space == PTX_GLOBAL ? PTX_GLOBAL : PTX_SHARED;
    c->to = touch(w, c, &as, STORE, c->to_address);
    c->barrier = c->to && !in->imm ? mark_barrier(w, c) : NULL;
    if (c->to && (in->imm || c->barrier))
        add_copy(w, c);
}

static void refuse_rank(struct warp *w, const struct insn *in, const struct bulk *c, uint32_t rank)
{
    struct scene s = scene_of_lane(w, c->lane);
    report_scene(w->block, &s, FINDING_MEMORY, ERROR, in->id, NONE - 3,
                 "Invalid __shared__ write of size %u at %s by %s: the copy names rank %u of the cluster, "
                 "which has %u blocks",
                 c->bytes, origin_place(w->block->launch->module, in->id),
                 thread_name(w->block, w->index * LANES + c->lane), rank, w->block->cluster->size);
    fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static uint64_t at_rank(const struct warp *w, uint64_t address, uint32_t rank)
{
    uint64_t field = rank == w->block->rank ? 0 : rank + 1;
    return (address & ~PEER_MASK) | field << RANK_SHIFT;
}

static void issue(struct warp *w, const struct insn *in, struct bulk *c, const uint32_t *list)
{
    uint32_t space = list[BULK_TO + 3] & ~BULK_NARROW;
    uint64_t to = c->to_address, barrier = in->imm ? 0 : lane_address(w, list + BULK_BARRIER, c->lane);
    uint32_t ranks = list[BULK_RANKS] == NONE ? 0 : ((const uint16_t *)row(w, list[BULK_RANKS]))[c->lane];
    c->barrier_address = barrier;
    if (list[BULK_RANKS] == NONE)
        issue_to(w, in, c, space);
    for (uint32_t rank = 0; ranks >> rank && !block_failed(w->block); rank++) {
        if (!(ranks >> rank & 1))
            continue;
        if (rank >= w->block->cluster->size) {
            refuse_rank(w, in, c, rank);
            return;
        }
        c->to_address = at_rank(w, to, rank);
        c->barrier_address = at_rank(w, barrier, rank);
        issue_to(w, in, c, space);
    }
}

static void issue_lane(struct warp *w, const struct insn *in, uint32_t l)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    struct insn as = *in;
    struct bulk c = {.in = *in, .warp = w, .lane = l, .after = -1};
    uint64_t from = lane_address(w, list + BULK_FROM, l);
    c.bytes = ((const uint32_t *)row(w, list[BULK_SIZE]))[l];
    c.to_address = lane_address(w, list + BULK_TO, l);
    if (!is_aligned(w, in, &c, from, list) || !c.bytes)
        return;
    as.order = 0;
    as.space = (uint8_t)(list[BULK_FROM + 3] & ~BULK_NARROW);
    c.from = touch(w, &c, &as, LOAD, from);
    if (c.from)
        issue(w, in, &c, list);
}

void op_bulk_copy(struct warp *w, const struct insn *in)
{
    FOR_LANES(l, w->mask)
    issue_lane(w, in, l);
}
