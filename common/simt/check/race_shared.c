// Races in shared memory. A record of 64 bits for every word (for every byte, where the code has narrower accesses),
// for writes and for reads:
//
//     63..40 time   39..35 warp   34..30 lane   29..26 bytes   25 atomic   24 several threads   23 several warps
//     22 strong   21..0 instruction
//
// Times count from the block's base; a record older than the floor is void, so records need not be cleared between
// blocks.

#include "base/alloc.h"
#include "check/race.h"

#define TIME(r) ((r) >> 40)
#define WARP(r) ((uint32_t)((r) >> 35) & 31)
#define THREAD(r) ((uint32_t)((r) >> 30) & 1023)
#define BYTES(r) ((uint32_t)((r) >> 26) & 15)
#define ATOMIC_BIT (UINT64_C(1) << 25)
#define SEVERAL_BIT (UINT64_C(1) << 24)
#define WIDE_BIT (UINT64_C(1) << 23)
#define STRONG_BIT (UINT64_C(1) << 22)
#define ID_MASK 0x3fffffu

void race_shared_start(struct block *b)
{
    struct block_race *r = race_of(b);
    uint32_t bytes = shared_size(b->launch);
    if (!r->writes) {
        r->shift = b->launch->sub_words ? 0 : 2;
        r->records = (bytes >> r->shift) + LANES * 4;
        r->writes = alloc_cached(r->records * sizeof *r->writes);
        r->reads = alloc_cached(r->records * sizeof *r->reads);
        r->base = r->floor - 1;
        if (b->launch->follow_orders)
            r->others = alloc_cached(r->records * sizeof *r->others);
    } else if (r->floor - r->base > 0xe00000) {
        memset(r->writes, 0, r->records * sizeof *r->writes);
        memset(r->reads, 0, r->records * sizeof *r->reads);
        if (r->others)
            memset(r->others, 0, r->records * sizeof *r->others);
        r->base = r->floor - 1;
    }
}

static uint64_t own_record(const struct warp *w, const struct access *a)
{
    uint64_t how = a->kind == ATOMIC ? ATOMIC_BIT : promises(a) ? STRONG_BIT : 0;
    return (uint64_t)(clock_of(w)->now - race_of(w->block)->base) << 40 | (uint64_t)w->index << 35 | how |
           (a->in->id & ID_MASK);
}

static struct moment moment_of(const struct warp *w, uint64_t record)
{
    return (struct moment){w->block->number, WARP(record), THREAD(record) & 31,
                           (uint32_t)TIME(record) + race_of(w->block)->base};
}

// Whether the record is another warp's; one of several warps counts as such.
static struct race_earlier earlier_of(const struct warp *w, uint32_t l, uint64_t record)
{
    return (struct race_earlier){.atomic = record & ATOMIC_BIT,
                                 .strong = record & STRONG_BIT,
                                 .same_block = true,
                                 .same_warp = WARP(record) == w->index && !(record & WIDE_BIT),
                                 .same_lane = (THREAD(record) & 31) == l,
                                 .several = record & SEVERAL_BIT,
                                 .wide = record & WIDE_BIT,
                                 .recent = TIME(record) >= race_of(w->block)->floor - race_of(w->block)->base};
}

static bool find_order(struct warp *w, uint32_t l, uint64_t record)
{
    struct moment past = moment_of(w, record);
    struct race_earlier p = earlier_of(w, l, record);
    return race_ordered(w, l, &past, race_proof(&p)) ||
           race_product_done(w, l, &past, record & ID_MASK, record & WIDE_BIT);
}

// Whether lane l may touch a word after the access in `record`. A bulk copy or a product touches thousands of words,
// which mostly have the same record, or one of each lane: the answers to these are in different places.
static bool in_order(struct warp *w, uint32_t l, uint64_t record, bool write)
{
    struct block_race *r = race_of(w->block);
    struct answer *a = &r->answers[write][(THREAD(record) % LANES + 2 * l) % ANSWERS];
    uint32_t thread = w->index * LANES + l;
    if (a->record != record || a->version != r->version || a->thread != thread)
        *a = (struct answer){record, r->version, thread, find_order(w, l, record)};
    return a->ordered;
}

// Counterpart of the function in race_global.c.
static bool in_strong_order(struct warp *w, const struct access *a, uint32_t l, uint64_t record)
{
    struct moment past = moment_of(w, record);
    uint32_t id = record & ID_MASK;
    if (!is_strong(a) || !(record & ATOMIC_BIT || origin_strong(w, id)) || race_torn(w, a, id))
        return false;
    if (a->kind == STORE && order_unguarded(w, l, past.block))
        return false;
    return order_has_seen(w, l, a->addr[l], &past) || order_known_if_fenced(w, l, &past);
}

// Whether the two may meet at any time: both promise to be seen by the other.
static bool both_strong(struct warp *w, const struct access *a, uint32_t l, uint64_t record, bool write)
{
    if (!is_strong(a) && !starts_cas(a))
        return false;
    struct moment when = moment_of(w, record);
    struct race_earlier past = earlier_of(w, l, record);
    struct race_current now = race_current_of(w, a);
    past.torn = race_torn(w, a, record & ID_MASK);
    past.spins = origin_spins(w, record & ID_MASK);
    past.changes = write && (record & (ATOMIC_BIT | STRONG_BIT)) != ATOMIC_BIT;
    past.is_volatile = origin_volatile(w, record & ID_MASK);
    past.announced = now.data && order_observation(w, l, &when);
    return race_both_strong(&past, &now);
}

static void found(struct warp *w, const struct access *a, uint32_t l, uint64_t record, bool write)
{
    enum access_kind kind = !write ? LOAD : record & ATOMIC_BIT ? ATOMIC : STORE;
    struct side past = {kind, record & ID_MASK, moment_of(w, record), .several_warps = record & WIDE_BIT};
    past.strong = is_strong(a) && (record & ATOMIC_BIT || origin_strong(w, past.id));
    past.torn = past.strong && race_torn(w, a, past.id);
    past.unknown_thread = past.when.warp == w->index && (past.when.lane == l || past.several_warps);
    race_report(w, a, l, &past, w->block->shared + a->addr[l], write);
}

// Fast path for histograms: atomics of one instruction never race, as both_strong would find, too.
static inline bool is_same_atomic(const struct access *a, uint64_t record)
{
    return a->kind == ATOMIC && record & ATOMIC_BIT && (record & ID_MASK) == (a->in->id & ID_MASK) &&
           !(a->in->order & ORDER_VOLATILE);
}

static bool races(struct warp *w, const struct access *a, uint32_t l, uint64_t record, bool write)
{
    return !is_same_atomic(a, record) && !both_strong(w, a, l, record, write) && !in_order(w, l, record, write) &&
           !in_strong_order(w, a, l, record);
}

// The record of `then` after a lane of w joins it at the later time; it keeps then's lane.
static uint64_t joined(const struct warp *w, uint64_t then, uint64_t own, uint32_t bytes)
{
    uint64_t keep = ~((UINT64_C(0xffffff) << 40) | UINT64_C(15) << 26);
    uint64_t wide = WARP(then) != w->index ? WIDE_BIT : 0;
    then &= own | ~STRONG_BIT;
    return (then & keep) | SEVERAL_BIT | wide | (own >> 40) << 40 | (uint64_t)(BYTES(then) | bytes) << 26;
}

// Lane l of w joins the readers of a word. If releases order warps, the first reader keeps its own time, since the
// clock of one warp tells nothing of another; and the last reader of another warp has a second record.
static uint64_t join_readers(struct warp *w, uint64_t index, uint64_t own, uint64_t l, uint32_t bytes)
{
    struct block_race *r = race_of(w->block);
    uint64_t then = r->reads[index], all = joined(w, then, own, bytes), time = UINT64_C(0xffffff) << 40;
    if (!r->others || WARP(then) == w->index)
        return all;
    r->others[index] = own | l << 30 | (uint64_t)bytes << 26;
    return (all & ~time) | (then & time);
}

// Compares with the second reader, if several warps have read the word. True: a race.
static bool compare_other(struct warp *w, const struct access *a, uint32_t l, uint32_t index, uint32_t bytes)
{
    const struct block_race *r = race_of(w->block);
    uint64_t other = r->others[index], floor = r->floor - r->base;
    bool race = TIME(other) >= floor && BYTES(other) & bytes && races(w, a, l, other, false);
    if (race)
        found(w, a, l, other, false);
    return race;
}

// One lane and one record, with the bytes of the word that are touched. True: a race.
static bool touch(struct warp *w, const struct access *a, uint32_t l, uint32_t index, uint32_t bytes, uint64_t own)
{
    struct block_race *r = race_of(w->block);
    uint64_t write = r->writes[index], read = r->reads[index], floor = r->floor - r->base;
    uint64_t mine = own | (uint64_t)l << 30 | (uint64_t)bytes << 26;
    if (a->kind == ATOMIC && race_changes(a, l, w->block->shared + a->addr[l]))
        mine |= STRONG_BIT;
    bool both_atomic = a->kind == ATOMIC && write & ATOMIC_BIT;
    bool race = TIME(write) >= floor && BYTES(write) & bytes && races(w, a, l, write, true);
    if (race)
        found(w, a, l, write, true);
    if (starts_cas(a))
        return race;
    if (TIME(write) >= floor && is_strong(a) && a->kind != STORE && !reads_data(a) &&
        !(a->kind == LOAD && weak_stale(w) >> l & 1)) {
        struct observation sight = {a->addr[l], moment_of(w, write), write & ID_MASK, a->in->id};
        order_observe(w, l, &sight);
    }
    if (a->kind == LOAD) {
        if (TIME(read) >= floor && !in_order(w, l, read, false))
            mine = join_readers(w, index, own, l, bytes);
        r->reads[index] = mine;
        return race;
    }
    if (TIME(read) >= floor && BYTES(read) & bytes && races(w, a, l, read, false)) {
        found(w, a, l, read, false);
        race = true;
    } else if (r->others && read & WIDE_BIT && TIME(read) >= floor)
        race |= compare_other(w, a, l, index, bytes);
    bool own_store = THREAD(write) == (w->index << 5 | l) && !(write & (ATOMIC_BIT | SEVERAL_BIT));
    if (a->kind == ATOMIC && TIME(write) >= floor && own_store && BYTES(write))
        return race; // other threads do not know of that store yet, so it says more than the atomic
    if (both_atomic && TIME(write) >= floor && THREAD(write) != (w->index << 5 | l))
        mine = joined(w, write, own, bytes);
    r->writes[index] = mine;
    return race;
}

// ---- the usual cases

// The values to compare records with. plain: the access promises nothing, and only barriers and synchronizations of
// whole warps give order, so whatever is not settled is a race.
struct view {
    uint64_t floor, lane_floor, warp;
    bool plain;
};

static struct view view_of(const struct warp *w, const struct access *a)
{
    const struct block_race *r = race_of(w->block);
    const struct warp_clock *c = clock_of(w);
    bool orders = c->lanes || c->warps || (w->block->launch->follow_orders && r->known);
    return (struct view){r->floor - (uint64_t)r->base, c->lane_floor - (uint64_t)r->base, w->index,
                         !orders && !is_strong(a) && !starts_cas(a)};
}

// Whether the access in a record is lane l's own, or ordered before it by barriers and warp synchronizations alone.
// Written so that loops over it become vector instructions.
static inline uint64_t is_settled(const struct view *v, uint64_t record, uint64_t l)
{
    uint64_t own_warp = (record & (WIDE_BIT | UINT64_C(31) << 35)) == v->warp << 35;
    uint64_t own_lane = (record & (SEVERAL_BIT | UINT64_C(31) << 30)) == l << 30;
    uint64_t limit = own_warp ? v->lane_floor : v->floor;
    return (uint64_t)(TIME(record) < limit) | (own_warp & own_lane);
}

// Fast path: 32 neighbouring words, and no access in their records races. False: check lane by lane.
static bool touch_all(struct warp *w, const struct access *a, const struct view *v, uint64_t own)
{
    struct block_race *r = race_of(w->block);
    uint64_t *writes = r->writes + (a->low >> 2), *reads = r->reads + (a->low >> 2);
    uint64_t good = 1, load = a->kind == LOAD, joins = load && v->plain;
    for (uint64_t l = 0; l < LANES; l++)
        good &= is_settled(v, writes[l], l) & (joins | is_settled(v, reads[l], l));
    if (!good)
        return false;
    own |= UINT64_C(15) << 26;
    for (uint64_t l = 0; l < LANES && load && !r->others; l++)
        reads[l] = is_settled(v, reads[l], l) ? own | l << 30 : joined(w, reads[l], own, 15);
    for (uint64_t l = 0; l < LANES && load && r->others; l++)
        reads[l] =
            is_settled(v, reads[l], l) ? own | l << 30 : join_readers(w, (uint32_t)(a->low >> 2) + l, own, l, 15);
    for (uint64_t l = 0; l < LANES && !load; l++)
        writes[l] = own | l << 30;
    return true;
}

// One lane and one record; touch handles the unusual cases.
static inline bool touch_simple(struct warp *w, const struct access *a, const struct view *v, uint32_t l,
                                uint32_t index, uint32_t bytes, uint64_t own)
{
    uint64_t *write = &race_of(w->block)->writes[index], *read = &race_of(w->block)->reads[index];
    uint64_t mine = own | (uint64_t)l << 30 | (uint64_t)bytes << 26;
    if (!is_settled(v, *write, l) || (a->kind != LOAD && !is_settled(v, *read, l)))
        return touch(w, a, l, index, bytes, own);
    if (a->kind == LOAD)
        *read = is_settled(v, *read, l) ? mine : join_readers(w, index, own, l, bytes);
    else
        *write = mine;
    return false;
}

static inline bool touch_word(struct warp *w, const struct access *a, const struct view *v, uint32_t l, uint32_t index,
                              uint32_t bytes, uint64_t own)
{
    return v->plain ? touch_simple(w, a, v, l, index, bytes, own) : touch(w, a, l, index, bytes, own);
}

// The words of a lane's access from index on, after it has touched the one before them, whose records were `before`.
// They usually have the same ones: the result for one is the result for all.
static inline void touch_others(struct warp *w, const struct access *a, const struct view *v, uint32_t l,
                                uint64_t index, uint64_t last, const uint64_t before[3], uint32_t bytes, uint64_t own)
{
    struct block_race *r = race_of(w->block);
    for (uint64_t i = index, first = index - 1; i <= last; i++)
        if (r->writes[i] != before[0] || r->reads[i] != before[1] || (r->others && r->others[i] != before[2]))
            touch_word(w, a, v, l, (uint32_t)i, bytes, own);
        else {
            r->writes[i] = r->writes[first];
            r->reads[i] = r->reads[first];
            if (r->others)
                r->others[i] = r->others[first];
        }
}

static inline void touch_lane(struct warp *w, const struct access *a, const struct view *v, uint32_t l, uint64_t own)
{
    const struct block_race *r = race_of(w->block);
    uint64_t first = a->addr[l] >> r->shift, last = (a->addr[l] + a->size - 1) >> r->shift;
    uint32_t bytes = a->size >= 4 || !r->shift ? 15 : ((1u << a->size) - 1) << (a->addr[l] & 3);
    const uint64_t before[3] = {r->writes[first], r->reads[first], r->others ? r->others[first] : 0};
    bool race = touch_word(w, a, v, l, (uint32_t)first, bytes, own);
    if (first < last && !race && !is_strong(a))
        touch_others(w, a, v, l, first + 1, last, before, bytes, own);
    else
        for (uint64_t i = first + 1; i <= last; i++)
            touch_word(w, a, v, l, (uint32_t)i, bytes, own);
}

bool race_shared_plainly_written(struct warp *w, uint64_t address)
{
    const struct block_race *r = race_of(w->block);
    uint64_t write = r->writes[address >> r->shift];
    return write && TIME(write) + r->base >= r->started && !(write & ATOMIC_BIT) && !origin_strong(w, write & ID_MASK);
}

// If several lanes read one word, two readers represent them all.
static uint32_t lanes_to_check(const struct access *a)
{
    if (a->kind != LOAD || a->high - a->low != a->size)
        return a->mask;
    uint32_t first = a->mask & -a->mask, others = a->mask & ~first;
    return first | (others & -others);
}

void race_shared_access(struct warp *w, const struct access *a)
{
    uint64_t own = own_record(w, a);
    uint32_t lanes = lanes_to_check(a);
    const struct view v = view_of(w, a);
    bool neighbours = a->contiguous && a->size == 4 && !starts_cas(a) && race_of(w->block)->shift == 2;
    if (neighbours && touch_all(w, a, &v, own))
        return;
    FOR_LANES(l, lanes)
    touch_lane(w, a, &v, l, own);
}
