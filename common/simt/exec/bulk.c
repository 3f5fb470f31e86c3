// Bulk copies (cp.async.bulk): when they move their bytes. bulk_move.c moves the bytes; bulk_tensor.c has tensor
// copies.
//
// A thread issues a copy; the bytes move asynchronously. With checks on they arrive at the last moment: when a test
// finds the phase of their mbarrier incomplete, when a wait for their group needs them, or when the block ends. So a
// program that forgets to wait gets the wrong bytes, and check/race_bulk.c sees every access to what is in flight. In a
// random order they may arrive at any earlier time, and a few copies' only after many tests: a wait must not give up.
// Without checks and in the default order, they arrive at once.
//
// At the issue observers see both ends of the copy, in pieces of 16 bytes, as accesses of the issuing thread. The
// bytes' arrival at the mbarrier releases what this thread did before the issue; observers learn this at the issue,
// too.
#include "exec/bulk.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "report/errors.h"

#define LATE_COPIES 8  // of a process
#define LATE_TESTS 256 // of each warp of the block

static atomic_uint late_copies;

static struct bulk_queue *queue_of(const struct block *b)
{
    if (!b->cluster->bulk)
        b->cluster->bulk = alloc_zeroed(1, sizeof *b->cluster->bulk);
    return b->cluster->bulk;
}

static uint32_t take_out(struct bulk_queue *q, uint32_t i)
{
    free(q->list[i].data);
    free(q->list[i].tile);
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

// Whether bytes arrive late: at the last moment, or at any time before.
static bool delivers_late(const struct launch *launch)
{
    const struct settings *s = settings();
    return s->check_race || s->check_init || s->check_sync || launch->schedule != SCHEDULE_ORDER;
}

// In a random order: how many tests of its mbarrier fail before the copy's bytes arrive. Of a launch's blocks, one has
// such copies. A sampled launch has none: it would stop a block that polls for so long.
static uint32_t lateness(const struct block *b)
{
    const struct launch *launch = b->launch;
    if (launch->schedule != SCHEDULE_RANDOM || launch->partial || late_copies >= LATE_COPIES)
        return 0;
    if (b->number != launch->number % launch->block_count || random_bits(b->worker) % 4)
        return 0;
    late_copies++;
    return LATE_TESTS * b->warp_count;
}

static void note(const struct bulk *c, enum bulk_step step)
{
    NOTIFY(c->warp->block->launch, bulk_step, c, step);
}

// ---- arrival

// Counts the bytes at the mbarrier.
static void complete(struct bulk *c)
{
    memcpy(&c->word, c->barrier, sizeof c->word);
    mbarrier_complete(c->warp, &c->in, c->lane, c->barrier, c->counted);
}

static void bring(struct bulk *c)
{
    if (c->arrived)
        return;
    bulk_read(c);
    c->arrived = true;
    bulk_write(c);
    note(c, BULK_ARRIVES);
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
        if (c->barrier == barrier && c->late) {
            c->late--;
            b->worker->changes++; // a loop that tests it is not endless
        } else if (c->barrier == barrier)
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
        if (c->waited || !c->arrived || c->barrier != b->shared + offset || mbarrier_same_phase(now, c->word))
            continue;
        c->waited = true;
        note(c, BULK_IS_WAITED);
    }
    if (q)
        sweep(q);
}

void bulk_advance(struct block *b)
{
    struct bulk_queue *q = b->cluster->bulk;
    for (uint32_t i = 0; q && i < q->count && b->launch->schedule == SCHEDULE_RANDOM; i++)
        if (!q->list[i].late && random_bits(b->worker) % 4 == 0)
            bring(&q->list[i]);
    if (q)
        sweep(q);
}

static bool belongs_to(const struct bulk *c, const struct block *b)
{
    return c->warp->block == b || (c->to >= b->shared && c->to < b->shared + shared_size(b->launch));
}

// The block ends, and its memory may be reused at any time. A copy may have read its source before it is complete.
static void report_left(const struct bulk *c)
{
    struct block *b = c->warp->block;
    if (settings()->check_sync && !c->source_free)
        report(b, FINDING_SYNC, ERROR, c->in.id, NONE,
               "Barrier error detected. The %s at %s by %s is in flight when the block ends: %s", c->name,
               origin_place(b->launch->module, c->in.id), thread_name(b, c->warp->index * LANES + c->lane),
               c->barrier ? "nothing has waited for the phase of its mbarrier"
                          : "no cp.async.bulk.wait_group covers it");
}

void bulk_block_end(struct block *b, bool stopped)
{
    struct bulk_queue *q = b->cluster->bulk;
    for (uint32_t i = q ? q->count : 0; i-- > 0;)
        if (belongs_to(&q->list[i], b)) {
            if (!stopped)
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

// imm: how many of the latest groups may still be in flight; sub: wait only until their sources have been read.
void op_bulk_wait(struct warp *w, const struct insn *in)
{
    struct bulk_queue *q = queue_of(w->block);
    for (uint32_t i = q->count; i-- > 0;) {
        struct bulk *c = &q->list[i];
        if (c->warp != w || !(w->mask >> c->lane & 1) || c->barrier || c->after < in->imm)
            continue;
        bulk_read(c);
        c->source_free = true;
        note(c, BULK_IS_READ);
        if (in->sub)
            continue;
        bring(c);
        note(c, BULK_IS_WAITED);
        bulk_notify_written(c); // a thread that reads the result before this races with it
        take_out(q, i);
    }
}

// ---- issuing

uint64_t bulk_address(const struct warp *w, const uint32_t *list, uint32_t l)
{
    uint64_t offset = list[1] | (uint64_t)list[2] << 32;
    if (list[0] == NONE)
        return offset;
    if (list[3] & BULK_NARROW)
        return (uint32_t)(((const uint32_t *)row(w, list[0]))[l] + (uint32_t)offset);
    return ((const uint64_t *)row(w, list[0]))[l] + offset;
}

struct insn bulk_sum(const struct insn *in, uint32_t word, enum ptx_type type)
{
    struct insn sum = *in;
    type = type ? type : (enum ptx_type)(word >> 8);
    sum.size = word == NONE ? 0 : (uint8_t)ptx_type_size(type);
    sum.count = (uint8_t)type;
    sum.sub = (uint8_t)word;
    sum.scope = SCOPE_DEVICE;
    sum.order = ORDER_STRONG;
    sum.dst = sum.b = NONE;
    return sum;
}

struct piece {
    uint8_t bytes[BULK_PIECE]; // what a store writes
    uint8_t *place;            // host address; NULL: out of bounds
};

static void perform_note(struct warp *w, struct access *a, const struct place *p)
{
    (void)w;
    FOR_LANES(l, a->mask)
    ((struct piece *)(uintptr_t)a->data)->place = lane_place(p, a, l);
}

uint8_t *bulk_touch(struct warp *w, const struct bulk *c, const struct insn *in, enum access_kind kind,
                    uint64_t address, uint32_t bytes, const uint8_t *data)
{
    static const struct insn none;
    struct piece piece = {.place = NULL};
    uint8_t *first = NULL;
    bool tile = c->tile && c->tile->loads && kind == STORE;
    uint8_t layout = tile ? (uint8_t)(LAYOUT_PLAIN + __builtin_popcount(c->tile->swizzle)) : LAYOUT_UNKNOWN;
    for (uint32_t at = 0, size; at < bytes; at += size) {
        size = bulk_piece(kind == ATOMIC ? &c->sum : &none, address + at, bytes - at);
        if (kind != LOAD)
            memcpy(piece.bytes, data + at, size);
        piece.place = NULL;
        struct access a = {.in = in, .kind = kind, .size = size, .data = piece.bytes, .async = BULK_ISSUED};
        a.layout = layout;
        access_lane(w, &a, c->lane, address + at, perform_note);
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
        q->list = alloc_resize(q->list, q->capacity, sizeof *q->list);
    }
    q->list[q->count] = *c;
    q->list[q->count].number = ++q->issued;
    q->list[q->count].late = c->barrier ? lateness(w->block) : 0;
    note(&q->list[q->count++], BULK_IS_ISSUED);
    if (!delivers_late(w->block->launch)) {
        bring(&q->list[q->count - 1]);
        sweep(q);
    }
}

// An operation on an mbarrier, and the mbarrier's address.
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

// Notifies observers that the mbarrier will release what the thread has done. NULL: there is no mbarrier.
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

static void refuse_rank(struct warp *w, const struct bulk *c, uint32_t rank)
{
    struct scene s = scene_of_lane(w, c->lane);
    report_scene(w->block, &s, FINDING_MEMORY, ERROR, c->in.id, NONE - 3,
                 "Invalid __shared__ write of size %u at %s by %s: the copy names rank %u of the cluster, "
                 "which has %u blocks",
                 c->bytes, origin_place(w->block->launch->module, c->in.id),
                 thread_name(w->block, w->index * LANES + c->lane), rank, w->block->cluster->size);
    fail_launch(w->block->launch, CUDA_ERROR_ILLEGAL_ADDRESS);
}

static uint64_t bulk_at_rank(const struct warp *w, uint64_t address, uint32_t rank)
{
    uint64_t field = rank == w->block->rank ? 0 : rank + 1;
    return (address & ~PEER_MASK) | field << RANK_SHIFT;
}

static uint8_t *copy_bytes(const void *from, size_t bytes)
{
    return from ? memcpy(alloc_resize(NULL, 1, bytes), from, bytes) : NULL;
}

static const char *owner(const struct warp *w, uint64_t address)
{
    uint32_t rank = (uint32_t)((address & RANK_MASK) >> RANK_SHIFT);
    const struct block *b = rank && rank <= w->block->cluster->size ? w->block->cluster->blocks[rank - 1] : w->block;
    return block_name(w->block->launch, b->number);
}

static void report_apart(struct warp *w, const struct bulk *c)
{
    char to[64];
    snprintf(to, sizeof to, "%s", owner(w, c->to_address));
    report(
        w->block, FINDING_SYNC, ERROR, c->in.id, NONE,
        "Barrier error detected. mbarrier at %s by %s: the %s writes shared memory of %s, and the mbarrier is in %s; "
        "both must be in one block",
        origin_place(w->block->launch->module, c->in.id), thread_name(w->block, w->index * LANES + c->lane), c->name,
        to, owner(w, c->barrier_address));
}

// Starts a copy to one destination. The kept copy has a tile and, if nothing else holds its source, its own data.
static void issue_to(struct warp *w, const struct bulk *c, bulk_begin *begin)
{
    struct bulk one = *c;
    bool group = c->in.imm;
    if (!begin(w, &one))
        return;
    if (!group && (c->to_address ^ c->barrier_address) & RANK_MASK)
        report_apart(w, c);
    one.barrier = group ? NULL : mark_barrier(w, &one);
    if (!group && !one.barrier)
        return;
    one.tile =
        (struct bulk_tile *)copy_bytes(c->tile, c->tile ? sizeof *c->tile + c->tile->count * sizeof *c->tile->row : 0);
    one.data = c->source_free ? copy_bytes(c->data, c->bytes) : NULL;
    add_copy(w, &one);
}

void bulk_issue(struct warp *w, struct bulk *c, bool many, uint32_t ranks, bulk_begin *begin)
{
    w->copies = true;
    uint64_t to = c->to_address, barrier = c->barrier_address;
    bulk_read(c);
    if (!many)
        issue_to(w, c, begin);
    for (uint32_t rank = 0; many && ranks >> rank && !block_failed(w->block); rank++) {
        if (!(ranks >> rank & 1))
            continue;
        if (rank >= w->block->cluster->size) {
            refuse_rank(w, c, rank);
            break;
        }
        c->to_address = bulk_at_rank(w, to, rank);
        c->barrier_address = bulk_at_rank(w, barrier, rank);
        issue_to(w, c, begin);
    }
    free(c->data);
    c->data = NULL;
}

void bulk_refuse_place(struct warp *w, const struct bulk *c, const char *what, const char *why)
{
    struct scene s = scene_of_lane(w, c->lane);
    report_scene(w->block, &s, FINDING_MEMORY, ERROR, c->in.id, NONE - 2, "Misaligned %s of size %u at %s by %s: %s",
                 what, c->bytes, origin_place(w->block->launch->module, c->in.id),
                 thread_name(w->block, w->index * LANES + c->lane), why);
    fail_launch(w->block->launch, CUDA_ERROR_MISALIGNED_ADDRESS);
}

// ---- copies of contiguous bytes

// 16 bytes are the unit of bulk copies.
static bool is_aligned(struct warp *w, const struct bulk *c, uint64_t from, const uint32_t *list)
{
    bool write = c->to_address % BULK_PIECE != 0;
    if (!write && from % BULK_PIECE == 0 && c->bytes % BULK_PIECE == 0)
        return true;
    bool global = (list[write ? BULK_TO + 3 : BULK_FROM + 3] & ~BULK_NARROW) == PTX_GLOBAL;
    char what[32];
    snprintf(what, sizeof what, "%s %s", global ? "__global__" : "__shared__", write ? "write" : "read");
    bulk_refuse_place(w, c, what, "a bulk copy takes addresses and a size that are multiples of 16");
    return false;
}

static bool begin_copy(struct warp *w, struct bulk *c)
{
    uint32_t space = w->path->frame->code->lists[c->in.target + BULK_TO + 3] & ~BULK_NARROW;
    const struct insn as = bulk_writer(c, space);
    c->to = bulk_touch(w, c, &as, bulk_kind(c), c->to_address, c->bytes, c->data);
    return c->to;
}

static void issue_lane(struct warp *w, const struct insn *in, uint32_t l)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    struct insn as = *in;
    struct bulk c = {.in = *in, .name = "bulk copy", .warp = w, .lane = l, .after = -1};
    uint64_t from = bulk_address(w, list + BULK_FROM, l);
    bool many = list[BULK_RANKS] != NONE;
    c.bytes = c.counted = ((const uint32_t *)row(w, list[BULK_SIZE]))[l];
    c.to_address = bulk_address(w, list + BULK_TO, l);
    c.to_space = (list[BULK_TO + 3] & ~BULK_NARROW) == PTX_GLOBAL ? PTX_GLOBAL : PTX_SHARED;
    c.barrier_address = in->imm ? 0 : bulk_address(w, list + BULK_BARRIER, l);
    c.sum = bulk_sum(in, list[BULK_SUM], PTX_NONE);
    if (!is_aligned(w, &c, from, list) || !c.bytes)
        return;
    as.order = 0;
    as.space = (uint8_t)(list[BULK_FROM + 3] & ~BULK_NARROW);
    c.from = bulk_touch(w, &c, &as, LOAD, from, c.bytes, NULL);
    if (c.from)
        bulk_issue(w, &c, many, many ? ((const uint16_t *)row(w, list[BULK_RANKS]))[l] : 0, begin_copy);
}

void op_bulk_copy(struct warp *w, const struct insn *in)
{
    FOR_LANES(l, w->mask)
    issue_lane(w, in, l);
}
