// Races in global memory, between threads of one block and between blocks: the last write and the last read of every
// word. Host threads run blocks at the same time, so records are read under the lock of their address.
#include "check/race_record.h"
#include "check/streams.h"
#include "decode/opcodes.h"
#include "exec/access.h"
#include "memory/memory.h"

static struct moment moment_of(const struct record *r)
{
    return (struct moment){r->block, r->thread / LANES, r->thread % LANES, r->clock};
}

static struct race_earlier earlier_of(const struct warp *w, uint32_t l, const struct record *r)
{
    bool same_block = r->block == (uint32_t)w->block->number;
    return (struct race_earlier){.atomic = r->atomic,
                                 .strong = r->strong,
                                 .narrow = r->narrow,
                                 .same_block = same_block,
                                 .same_warp = same_block && r->thread / LANES == w->index,
                                 .same_lane = r->thread % LANES == l,
                                 .several = r->several,
                                 .wide = r->wide,
                                 .blocks = r->blocks,
                                 .recent = r->clock >= race_of(w->block)->floor};
}

static bool in_order(struct warp *w, uint32_t l, const struct record *r)
{
    struct moment past = moment_of(r);
    struct race_earlier p = earlier_of(w, l, r);
    const struct cluster_race *c = race_of(w->block)->cluster;
    if (c && r->blocks && p.same_block) // the record keeps too little of these: the cluster's barrier decides
        return past.clock < c->floor || race_of(w->block)->known;
    return race_ordered(w, l, &past, race_proof(&p)) || race_product_done(w, l, &past, r->id, r->wide) ||
           (c && origin_init(w, r->id) && race_cluster_knows_init(w, l, &past));
}

// Two kinds of order between strong accesses of the same bytes: released data are ordered for the thread that reads the
// flag, and a write is ordered after the write that its thread has read there.
static bool in_strong_order(struct warp *w, const struct access *a, uint32_t l, const struct record *r)
{
    struct moment past = moment_of(r);
    if (!is_strong(a) || !(r->atomic || origin_strong(w, r->id)) || race_torn(w, a, r->id))
        return false;
    if (a->kind == STORE && order_unguarded(w, l, past.block))
        return false;
    return order_has_seen(w, l, a->addr[l], &past) || order_known_if_fenced(w, l, &past);
}

// Whether the two may occur in any order: both promise to be seen by the other.
static bool both_strong(struct warp *w, const struct access *a, uint32_t l, const struct record *r, bool write)
{
    if (!is_strong(a) && !starts_cas(a))
        return false;
    struct moment when = moment_of(r);
    struct race_earlier past = earlier_of(w, l, r);
    struct race_current now = race_current_of(w, a);
    past.torn = race_torn(w, a, r->id);
    past.spins = origin_spins(w, r->id);
    past.changes = write && !(r->atomic && !r->strong);
    past.is_volatile = origin_volatile(w, r->id);
    past.announced = now.data && order_observation(w, l, &when);
    return race_both_strong(&past, &now);
}

static bool races(struct warp *w, const struct access *a, uint32_t l, const struct record *r, bool write)
{
    return !both_strong(w, a, l, r, write) && !in_order(w, l, r) && !in_strong_order(w, a, l, r);
}

static void found(struct warp *w, const struct access *a, uint32_t l, const struct record *r, bool write)
{
    struct side past = {write ? r->atomic ? ATOMIC : STORE : LOAD, r->id, moment_of(r), .several_warps = r->wide};
    past.strong = is_strong(a) && (r->atomic || origin_strong(w, r->id));
    past.torn = past.strong && race_torn(w, a, r->id);
    past.narrow = past.strong && (r->narrow || race_current_of(w, a).narrow);
    past.unknown_thread = r->block == (uint32_t)w->block->number && r->thread == w->index * LANES + l;
    race_report(w, a, l, &past, (const uint8_t *)(uintptr_t)a->addr[l], write);
}

// A read through the read-only cache of a word that this kernel has written: it may see the old value, whatever orders
// the two.
static void report_stale_read(struct warp *w, const struct access *a, uint32_t l, const struct record *write)
{
    struct block *b = w->block;
    struct moment when = moment_of(write);
    if (race_unknown(w, a, write->id))
        return;
    bool texture = a->in->op == OP_tex || a->in->op == OP_tld4;
    struct scene s = scene_of_access(w, a, l);
    s.past = (struct actor){when.block, when.warp * LANES + when.lane, access_word(STORE)};
    report_scene(b, &s, FINDING_RACE, ERROR, a->in->id, write->id,
                 "Race (RAW) in __global__ memory: %s write, "
                 "then %s read by %s as data that this kernel does not change (%s)",
                 origin_place(b->launch->module, write->id), origin_place(b->launch->module, a->in->id),
                 thread_name(b, w->index * LANES + l), texture ? "a texture" : "__ldg or const __restrict__");
}

// The record of an access to a whole word by lane l.
static struct record own_record(const struct warp *w, const struct access *a, uint32_t l)
{
    bool strong = a->kind == ATOMIC ? race_changes(a, l, (const void *)(uintptr_t)a->addr[l]) : promises(a);
    return (struct record){.stamp = race_stamp(w->block->launch->number),
                           .thread = (w->index * LANES + l) & 1023,
                           .block = (uint32_t)w->block->number,
                           .clock = clock_of(w)->now,
                           .id = a->in->id & 0x3fffff,
                           .bytes = 15,
                           .atomic = a->kind == ATOMIC,
                           .strong = strong,
                           .narrow = is_narrow(w, a)};
}

// Whether the first of several readers keeps its own time. A release does not publish the clocks of other warps. In a
// cluster's shared memory, which mbarriers order, the later time of another warp would look unordered.
static inline bool keeps_time(const struct warp *w, const struct record *own, const struct record *r)
{
    bool ordered = w->block->launch->follow_orders && race_of(w->block)->cluster;
    return r->block != own->block || (ordered && r->thread / LANES != own->thread / LANES);
}

// In a cluster's shared memory the first reader keeps its own time, so every warp's last read is kept as well, until a
// store. own: a read that joins or replaces the record r.
static void keep_reader(struct warp *w, const struct access *a, uint64_t address, struct record *own,
                        const struct record *r)
{
    bool apart = r->block != own->block || r->thread / LANES != own->thread / LANES;
    if (!a->moved || !(r->wide || apart))
        return;
    race_cluster_read(w, a, address, own);
    own->several = own->wide = 1;
}

// Compares a store or an atomic with these reads, too.
static void compare_readers(struct warp *w, const struct access *a, uint32_t l, uint64_t address,
                            const struct record *own)
{
    for (uint32_t i = 0; i < CLUSTER_READERS; i++) {
        struct record *r = race_cluster_reader(w, a, address, i);
        if (!r || r->stamp != own->stamp || !(r->bytes & own->bytes))
            continue;
        if (races(w, a, l, r, false))
            found(w, a, l, r, false);
        if (a->kind == STORE)
            r->bytes &= ~own->bytes;
    }
}

// Makes `own`, which will replace the unordered record r, represent both: it keeps r's thread, at the later time.
static void join_record(const struct warp *w, struct record *own, const struct record *r)
{
    own->wide = r->wide || r->block != own->block || r->thread / LANES != w->index;
    own->blocks = r->blocks || r->block != own->block;
    own->clock = keeps_time(w, own, r) ? r->clock : own->clock;
    own->thread = r->thread;
    own->block = r->block;
    own->several = 1;
    own->strong &= r->strong;
    own->bytes &= r->bytes;
}

// A read by lane l after another one: if they are unordered, the record represents both. Of a data read and a poll only
// the data read is kept, even for one thread: joined, they would look like data read at the time of the poll, when
// others may write the word.
static void join_reads(struct warp *w, const struct access *a, uint32_t l, uint64_t address, struct record *own,
                       const struct record *r)
{
    bool same_thread = r->block == own->block && r->thread == own->thread;
    bool unordered = !in_order(w, l, r);
    keep_reader(w, a, address, own, r);
    if (own->strong && !r->strong && (unordered || same_thread))
        *own = *r;
    else if (unordered && own->strong == r->strong) {
        join_record(w, own, r);
        own->id = keeps_instruction(w) ? r->id : own->id;
    }
}

// Whether own's thread has made the record r, and has not synchronized since.
static bool same_epoch(const struct record *own, const struct record *r)
{
    return r->stamp == own->stamp && r->block == own->block && r->thread == own->thread && r->clock == own->clock &&
           r->atomic == own->atomic && r->strong == own->strong && !r->several;
}

// A thread that continues in the same word has touched all these bytes at the same time.
static void merge_bytes(struct record *own, const struct record *r)
{
    if (same_epoch(own, r))
        own->bytes |= r->bytes;
}

// An atomic hides an earlier plain store, which its block knows of and others may not. The store is kept in the record
// of readers, unless operations of other streams may have read the word.
static void atomic_over_write(struct warp *w, const struct access *a, uint32_t l, const struct record *write,
                              struct record *hidden, uint32_t bytes)
{
    const struct operation *op = w->block->launch->operation;
    if (op && op->crowded)
        return;
    if (!write->atomic && !write->strong)
        *hidden = *write;
    else if (write->atomic && hidden->stamp == write->stamp && hidden->bytes & bytes && !in_order(w, l, hidden))
        found(w, a, l, hidden, true);
}

// own: the record of this access by lane l. It is checked against these two, and replaces one of them.
static void touch_records(struct warp *w, const struct access *a, uint32_t l, uint64_t address, struct record own,
                          struct record *write, struct record *read)
{
    bool fresh_write = write->stamp == own.stamp, fresh_read = read->stamp == own.stamp;
    uint32_t bytes = own.bytes;
    if (!fresh_write && !fresh_read && !starts_cas(a)) {
        put_record(a->kind == LOAD ? read : write, own);
        return;
    }
    bool write_strong = fresh_write && both_strong(w, a, l, write, true);
    if (fresh_write && write->bytes & bytes && !write_strong && !in_order(w, l, write) &&
        !in_strong_order(w, a, l, write))
        found(w, a, l, write, true);
    else if (fresh_write && write->bytes & bytes && a->kind == LOAD && a->in->order & ORDER_READ_ONLY)
        report_stale_read(w, a, l, write);
    if (starts_cas(a))
        return;
    bool stale = a->kind == LOAD && weak_stale(w) >> l & 1;
    if (fresh_write && is_strong(a) && a->kind != STORE && !reads_data(a) && !stale)
        order_observe(w, l, &(struct observation){a->addr[l], moment_of(write), write->id, a->in->id});
    if (a->kind == LOAD) {
        if (fresh_read && read->bytes & bytes) // if they cover other bytes, the last one is kept
            join_reads(w, a, l, address, &own, read);
        merge_bytes(&own, read);
        put_record(read, own);
        return;
    }
    if (fresh_read && read->bytes & bytes && races(w, a, l, read, false))
        found(w, a, l, read, false);
    else if (a->moved && fresh_read && read->wide)
        compare_readers(w, a, l, address, &own);
    if (a->kind == ATOMIC && fresh_write)
        atomic_over_write(w, a, l, write, memory_earlier_reads(address), bytes);
    // Other threads do not know of the thread's own store yet, so it says more than the atomic.
    if (a->kind == ATOMIC && fresh_write && !write->atomic && !write->several && write->block == own.block &&
        write->thread == own.thread && write->clock >= race_of(w->block)->floor)
        return;
    bool alone = a->async == BULK_ISSUED; // race_bulk.c knows each sum in flight, and its wait orders it
    if (write_strong && !alone && a->kind == ATOMIC && write->atomic && write->block == own.block &&
        write->thread != own.thread && write->clock >= race_of(w->block)->floor)
        join_record(w, &own, write);
    merge_bytes(&own, write);
    put_record(write, own);
}

// Whether `own` can replace a word's record r without loss: it covers all bytes that r covers, or the same thread
// continues at the same time.
static bool replaces(const struct access *a, const struct record *own, const struct record *r)
{
    uint32_t others = a->kind == STORE ? r->bytes & ~own->bytes : r->bytes ^ own->bytes;
    return r->stamp != own->stamp || !others || same_epoch(own, r);
}

// From now on each byte of the word has its own record.
static void part_bytes(struct record *word, struct record *bytes)
{
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i] = *word;
        bytes[i].bytes = 1u << i;
        bytes[i].stamp = word->bytes >> i & 1 ? word->stamp : 0;
    }
    struct record none = *word;
    none.bytes = 0;
    put_record(word, none);
}

// The same if bytes of the word have their own records. A store to all bytes leaves one record again.
static void touch_bytes(struct warp *w, const struct access *a, uint32_t l, uint64_t address, struct record own)
{
    struct record *replaced = a->kind == LOAD ? memory_read_records(address) : memory_write_records(address);
    uint64_t word = address & ~UINT64_C(3);
    uint32_t bytes = own.bytes;
    if (!starts_cas(a) && (replaced->stamp != own.stamp || replaced->bytes))
        part_bytes(replaced, a->kind == LOAD ? memory_byte_reads(word) : memory_byte_writes(word));
    for (uint32_t i = 0; i < 4; i++) {
        own.bytes = 1u << i;
        if (bytes & own.bytes)
            touch_records(w, a, l, address, own, race_write_of(word + i), race_read_of(word + i));
    }
    own.bytes = a->kind == STORE && bytes == 15 ? bytes : 0;
    if (!starts_cas(a))
        put_record(replaced, own);
}

// ---- most accesses: plain ones

// A plain read of words that others have not written in this launch.
static inline void touch_read(struct warp *w, const struct access *a, uint32_t l, uint64_t address, struct record own,
                              struct record *read)
{
    bool fresh = !((read->who ^ own.who) & STAMP_BITS);
    if (fresh && !((read->what ^ own.what) & (BYTES_BITS | STRONG_BIT)) && orders_simply(w)) {
        struct joining j = joining_of(w, own.what);
        struct record r = join_simply(&j, own.who, read->who, read->what);
        if (r.who != read->who || r.what != read->what) // others read it, too
            put_record(read, r);
        return;
    }
    if (fresh) {
        join_reads(w, a, l, address, &own, read);
        merge_bytes(&own, read);
    }
    put_record(read, own);
}

// own, by lane l.
static inline struct record by_lane(const struct warp *w, uint32_t l, struct record own)
{
    own.who = (own.who & ~THREAD_BITS) | (uint64_t)((w->index * LANES + l) & 1023) << THREAD_AT;
    return own;
}

static inline struct record with_bytes(struct record own, uint32_t bytes)
{
    own.what = (own.what & ~BYTES_BITS) | (uint64_t)bytes << BYTES_AT;
    return own;
}

static inline bool is_fresh(const struct record *r, const struct record *own)
{
    return !((r->who ^ own->who) & STAMP_BITS);
}

// Plain reads of bytes that have their own records.
static void touch_byte_reads(struct warp *w, const struct access *a, uint32_t l, uint64_t address, struct record own)
{
    struct record *reads = memory_byte_reads(address & ~UINT64_C(3));
    uint32_t bytes = own.bytes;
    for (uint32_t i = (uint32_t)__builtin_ctz(bytes); bytes >> i; i++)
        touch_read(w, a, l, address, with_bytes(own, 1u << i), &reads[i]);
}

// own: the record of this access by lane l.
static void touch(struct warp *w, const struct access *a, uint32_t l, uint64_t address, struct record own)
{
    struct record *write = memory_write_records(address), *read = memory_read_records(address);
    const struct record *replaced = a->kind == LOAD ? read : write;
    bool fresh_write = write->stamp == own.stamp, fresh_read = read->stamp == own.stamp;
    bool apart = (fresh_write && !write->bytes) || (fresh_read && !read->bytes);
    bool fits = starts_cas(a) || replaces(a, &own, replaced);
    if (apart && !fresh_write && a->kind == LOAD && !is_strong(a) && !starts_cas(a))
        touch_byte_reads(w, a, l, address, own);
    else if (apart || (!fits && memory_open_bytes(address)))
        touch_bytes(w, a, l, address, own);
    else
        touch_records(w, a, l, address, own, write, read);
}

// own: the record of this access, of some lane.
static void touch_lane(struct warp *w, const struct access *a, uint32_t l, struct record own)
{
    uint64_t from = a->addr[l];
    own.thread = (w->index * LANES + l) & 1023;
    if (a->kind == ATOMIC)
        own.strong = race_changes(a, l, (const void *)(uintptr_t)from);
    if (a->size < 4) {
        own.bytes = ((1u << a->size) - 1) << (from & 3) & 15;
        touch(w, a, l, from, own);
        return;
    }
    for (uint64_t at = from; at < from + a->size; at += 4)
        touch(w, a, l, at, own);
}

#define AHEAD 4 // with more groups, records are prefetched

// The lanes of an access in groups whose bytes lie under the same lock, in the order of their first lanes.
struct lock_groups {
    uint32_t count;
    uint32_t lanes[LANES];
    uint64_t keys[LANES];
    uint8_t slots[2 * LANES]; // a hash of keys: the group's number + 1
};

static void add_to_group(struct lock_groups *g, uint64_t key, uint32_t l)
{
    uint32_t slot = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    while (g->slots[slot] && g->keys[g->slots[slot] - 1] != key)
        slot = (slot + 1) % (2 * LANES);
    if (!g->slots[slot]) {
        g->keys[g->count] = key;
        g->lanes[g->count] = 0;
        g->slots[slot] = (uint8_t)++g->count;
    }
    g->lanes[g->slots[slot] - 1] |= 1u << l;
}

static void group_by_lock(const struct access *a, uint32_t lanes, struct lock_groups *g)
{
    g->count = 0;
    if (!lanes)
        return;
    if (a->low >> LOCK_SPAN == (a->high - 1) >> LOCK_SPAN) {
        g->lanes[g->count++] = lanes;
        return;
    }
    memset(g->slots, 0, sizeof g->slots);
    FOR_LANES(l, lanes)
    add_to_group(g, a->addr[l] >> LOCK_SPAN, l);
}

// No record of this launch at the n words from address on.
static bool untouched(const struct record *records, uint32_t n, uint32_t stamp)
{
    uint64_t borrows = 0; // from the top bit, where the stamps agree
    for (uint32_t i = 0; i < n; i++)
        borrows |= ((records[i].who ^ stamp) & STAMP_BITS) - 1;
    return !(borrows >> 63);
}

// Whether the word has no record of this launch, or one by own's thread alone: then nothing needs checking.
static inline bool is_own_record(const struct record *r, const struct record *own)
{
    return (r->who ^ own->who) & STAMP_BITS ||
           (r->who == own->who && (r->what & (BYTES_BITS | SEVERAL_BIT)) == BYTES_BITS);
}

// Plain reads of whole words, lane by lane.
static void touch_reads(struct warp *w, const struct access *a, uint32_t lanes, struct record all)
{
    bool wrote = memory_written_by(a->addr[__builtin_ctz(lanes)], all.stamp), stale = a->in->order & ORDER_READ_ONLY;
    FOR_LANES(l, lanes)
    {
        const struct record *write = wrote ? memory_write_records(a->addr[l]) : NULL;
        struct record *read = memory_read_records(a->addr[l]), own = by_lane(w, l, all);
        for (uint32_t k = 0; k < a->size / 4; k++)
            if ((wrote && is_fresh(&write[k], &own) && (stale || !is_own_record(&write[k], &own))) ||
                (is_fresh(&read[k], &own) && (~read[k].what & BYTES_BITS)))
                touch(w, a, l, a->addr[l] + 4 * k, own);
            else
                touch_read(w, a, l, a->addr[l] + 4 * k, own, &read[k]);
    }
}

// The same of bytes and halfwords.
static void touch_parts(struct warp *w, const struct access *a, uint32_t lanes, struct record all)
{
    bool wrote = memory_written_by(a->addr[__builtin_ctz(lanes)], all.stamp);
    FOR_LANES(l, lanes)
    {
        uint64_t address = a->addr[l];
        const struct record *read = memory_read_records(address), *write = wrote ? memory_write_records(address) : NULL;
        struct record own = with_bytes(by_lane(w, l, all), ((1u << a->size) - 1) << (address & 3) & 15);
        if (!(wrote && is_fresh(write, &own)) && is_fresh(read, &own) && !(read->what & BYTES_BITS))
            touch_byte_reads(w, a, l, address, own);
        else
            touch(w, a, l, address, own);
    }
}

// Plain writes of whole words, lane by lane.
static void touch_writes(struct warp *w, const struct access *a, uint32_t lanes, struct record all)
{
    FOR_LANES(l, lanes)
    {
        struct record *write = memory_write_records(a->addr[l]), own = by_lane(w, l, all);
        const struct record *read = memory_read_records(a->addr[l]);
        for (uint32_t k = 0; k < a->size / 4; k++)
            if (is_own_record(&write[k], &own) && is_own_record(&read[k], &own))
                put_record(&write[k], own);
            else
                touch(w, a, l, a->addr[l] + 4 * k, own);
    }
}

// The records of neighbouring words not yet touched in this launch.
static void fill_records(struct record *to, uint32_t n, uint32_t shift, struct record own)
{
    uint64_t first = own.who;
    for (uint32_t i = 0; i < n; i++) {
        own.who = who_at(first, i, shift);
        put_record(&to[i], own);
    }
}

static bool are_own_records(const struct record *records, uint32_t n, uint32_t shift, struct record own)
{
    struct record_row row;
    copy_row(&row, records, n);
    return row_is_own(&row, own.who, n, shift);
}

// The usual cases: neighbouring words that this launch has not touched yet, or only reads, or that only their own
// threads touch. False: nothing was done.
static bool touch_neighbours(struct warp *w, const struct access *a, uint32_t n, struct record own,
                             struct record *reads, struct record *writes)
{
    uint32_t each = a->size / 4, shift = (uint32_t)__builtin_ctz(each);
    bool wrote = memory_written_by(a->addr[own.thread % LANES], own.stamp) && !untouched(writes, n * each, own.stamp);
    bool plain = !is_strong(a), read_only = a->in->order & ORDER_READ_ONLY;
    bool alone = !wrote || (!read_only && are_own_records(writes, n * each, shift, own));
    bool unread = reads->stamp != own.stamp && untouched(reads, n * each, own.stamp);
    if (a->kind == LOAD && !(unread && !wrote) && plain && alone && orders_simply(w)) {
        struct joining j = joining_of(w, own.what);
        return join_row(&j, own.who, reads, n * each, shift);
    }
    if ((wrote || !unread) && !(plain && alone && are_own_records(reads, n * each, shift, own)))
        return false;
    fill_records(a->kind == LOAD ? reads : writes, n * each, shift, own);
    return true;
}

// Lanes whose bytes lie under one lock, where they are not neighbours. own: the record of one of them.
static void touch_lanes(struct warp *w, const struct access *a, uint32_t lanes, struct record own)
{
    bool plain = !is_strong(a) && !starts_cas(a);
    if (plain && a->size < 4 && a->kind == LOAD)
        touch_parts(w, a, lanes, own);
    else if (plain && a->size >= 4 && a->kind == LOAD)
        touch_reads(w, a, lanes, own);
    else if (plain && a->size >= 4)
        touch_writes(w, a, lanes, own);
    else
        FOR_LANES(l, lanes)
    touch_lane(w, a, l, own);
}

// Lanes whose bytes lie under one lock.
static void touch_run(struct warp *w, const struct access *a, uint32_t lanes, struct record any)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes), n = (uint32_t)__builtin_popcount(lanes);
    uint64_t address = a->addr[first];
    struct record own = a->kind == ATOMIC ? own_record(w, a, first) : by_lane(w, first, any);
    bool neighbours = a->size >= 4 && !starts_cas(a) && a->contiguous;
    bool done =
        neighbours && touch_neighbours(w, a, n, own, memory_read_records(address), memory_write_records(address));
    if (a->kind != LOAD)
        memory_note_write(address, own.stamp);
    if (!done)
        touch_lanes(w, a, lanes, own);
}

bool race_plainly_written(struct warp *w, const struct access *a, uint32_t l)
{
    if (a->space == PTX_SHARED)
        return race_shared_plainly_written(w, a->addr[l]);
    const struct record *write = race_write_of(a->addr[l]);
    return write->stamp == race_stamp(w->block->launch->number) && !write->atomic && !origin_strong(w, write->id);
}

// ---- accesses that add nothing to the records

// The instruction that the record names, if it is on a's line and does the same: an unrolled loop has several such
// instructions, and a report about any of them reads alike. Otherwise a's own.
static uint32_t alike(const struct warp *w, const struct access *a, const struct record *past)
{
    const struct module *m = w->block->launch->module;
    const struct origin *now = &m->origins[a->in->id], *then = &m->origins[past->id < m->origin_count ? past->id : 0];
    bool same = now->op == then->op && now->size == then->size && now->order == then->order &&
                now->ptx->call == then->ptx->call && now->ptx->loc.file > 0 &&
                !memcmp(&now->ptx->loc, &then->ptx->loc, sizeof now->ptx->loc);
    return same ? past->id : a->in->id;
}

// The same for neighbouring words. Those that the launch has written must belong to the accessing threads.
static bool row_adds(const struct access *a, const struct record_range *s, const struct repeat *now)
{
    struct record_row reads, writes;
    uint32_t n = LANES * a->size / 4, shift = (uint32_t)__builtin_ctz(a->size / 4), stamp = now->own.stamp;
    if (a->kind == STORE) {
        copy_row(&writes, writes_at(s, a->low), n);
        copy_row(&reads, reads_at(s, a->low), n);
        return !row_equals(&writes, now->own, n, shift) || !row_is_own(&reads, now->own.who, n, shift);
    }
    copy_row(&reads, reads_at(s, a->low), n);
    if (!row_reads_repeat(now, &reads, now->own.who, n, shift))
        return true;
    if (a->size == 4 && wrote_at(s, a->low) != stamp && wrote_at(s, a->high - 1) != stamp)
        return false; // tested after the records: it stays so until the launch ends
    copy_row(&writes, writes_at(s, a->low), n);
    return a->in->order & ORDER_READ_ONLY || !row_is_own(&writes, now->own.who, n, shift);
}

// The same for one lane's words; own: the lane's record.
static inline bool lane_adds(const struct access *a, uint32_t l, const struct record_range *s, const struct repeat *now,
                             uint64_t own)
{
    const struct record *reads = reads_at(s, a->addr[l]), *writes = writes_at(s, a->addr[l]);
    struct record is = now->own;
    uint64_t adds = 0;
    is.who = own;
    for (uint32_t k = 0; k < a->size / 4 && a->kind == LOAD; k++) {
        struct record r = copy_record(reads + k);
        adds |= read_adds(now, r.who, r.what, own);
    }
    if (adds || (a->kind == LOAD && wrote_at(s, a->addr[l]) != is.stamp))
        return adds;
    for (uint32_t k = 0; k < a->size / 4; k++) {
        struct record write = copy_record(writes + k), read = copy_record(reads + k);
        adds |= a->kind == LOAD ? !is_own_record(&write, &is) : write.who != own || write.what != is.what;
        adds |= a->kind == STORE && !is_own_record(&read, &is);
    }
    return adds || (a->kind == LOAD && a->in->order & ORDER_READ_ONLY);
}

// The same of all lanes' reads of a word each, of which `who` is the first lane's: without a branch from lane to lane,
// so that the host loads the records at the same time.
static uint32_t reads_that_add(const struct access *a, uint32_t lanes, const struct record_range *s,
                               const struct repeat *now, uint64_t who)
{
    struct record_row r;
    uint64_t adds[LANES];
    uint32_t wrote[LANES], add = 0, written = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t address = lanes >> l & 1 ? a->addr[l] : a->low;
        struct record read = copy_record(reads_at(s, address));
        r.who[l] = read.who;
        r.what[l] = read.what;
        wrote[l] = wrote_at(s, address);
    }
    for (uint32_t l = 0; l < LANES; l++)
        adds[l] = read_adds(now, r.who[l], r.what[l], who_at(who, l, 0));
    for (uint32_t l = 0; l < LANES; l++) {
        add |= (uint32_t)(adds[l] != 0) << l;
        written |= (uint32_t)(wrote[l] == now->own.stamp) << l;
    }
    FOR_LANES(l, lanes & written & ~add)
    add |= (uint32_t)lane_adds(a, l, s, now, who_at(who, l, 0)) << l;
    return add & lanes;
}

// Whether its accesses may add nothing: they are plain, of whole words.
static inline bool may_repeat(const struct warp *w, const struct access *a)
{
    return a->kind != ATOMIC && !(a->kind == STORE && a->async) && a->size >= 4 && !is_strong(a) && !starts_cas(a) &&
           !a->moved && orders_simply(w);
}

// Reads of a word each that add to its record, but of which the launch has written none around. They need no more than
// their locks. Returns the lanes that are left.
static uint32_t join_apart(struct warp *w, const struct access *a, uint32_t lanes, const struct record_range *s,
                           const struct repeat *now)
{
    struct joining j = joining_of(w, now->own.what);
    const struct operation *op = w->block->launch->operation;
    uint32_t left = 0;
    FOR_LANES(l, lanes)
    {
        uint64_t address = a->addr[l];
        struct record *read = reads_at(s, address), own = by_lane(w, l, now->own);
        lock_address(address);
        bool unlike = is_fresh(read, &own) && (read->what ^ own.what) & (BYTES_BITS | STRONG_BIT);
        if (unlike || wrote_at(s, address) == own.stamp)
            left |= 1u << l;
        else {
            if (op)
                operation_visits(op, address);
            put_record(read, join_simply(&j, own.who, read->who, read->what));
            memory_touch(address, own.stamp);
        }
        unlock_address(address);
    }
    return left;
}

#define FAR 4096 // bytes: if lanes are this far apart, their records are prefetched

// The lanes whose accesses change a record. The others need no lock, and no store that would stall other host threads.
// Most programs read the same words over and over, or add to them. own: the record of one lane. alone: no other stream
// needs to know of the access.
static uint32_t lanes_that_add(struct warp *w, const struct access *a, struct record own, bool alone, bool locked)
{
    struct record_range s;
    bool one = a->high - a->low == a->size;
    uint32_t lanes = a->mask, others = lanes & (lanes - 1), add = 0, first = (uint32_t)__builtin_ctz(lanes);
    if (!alone || !may_repeat(w, a) || !memory_shadow(a->low, a->high, &s))
        return lanes;
    struct record past = copy_record(a->kind == LOAD ? reads_at(&s, a->addr[first]) : writes_at(&s, a->addr[first]));
    if (a->contiguous && past.stamp != own.stamp)
        return lanes; // the first access to these words in this launch
    if (past.who == own.who && past.id != own.id)
        own.id = alike(w, a, &past);
    struct repeat now = repeat_of(w, own);
    if (a->contiguous)
        return row_adds(a, &s, &now) ? lanes : 0;
    if (one) // of lanes that read the same bytes, two represent all
        lanes = (lanes & -lanes) | (others & -others);
    for (uint32_t l = 0; l < LANES && a->high - a->low > FAR; l++)
        __builtin_prefetch(reads_at(&s, a->addr[l]));
    if (!one && a->kind == LOAD && a->size == 4) {
        add = reads_that_add(a, lanes, &s, &now, by_lane(w, 0, now.own).who);
        return add && !locked ? join_apart(w, a, add, &s, &now) : add;
    }
    FOR_LANES(l, lanes)
    add |= (uint32_t)lane_adds(a, l, &s, &now, by_lane(w, l, now.own).who) << l;
    return add && one ? a->mask : add;
}

void race_global_access(struct warp *w, const struct access *a, bool locked)
{
    const struct operation *op = w->block->launch->operation;
    uint32_t stamp = race_stamp(w->block->launch->number);
    struct lock_groups groups;
    struct record own = own_record(w, a, (uint32_t)__builtin_ctz(a->mask));
    bool alone = !op || a->moved || operation_is_alone(op, a);
    uint32_t lanes = lanes_that_add(w, a, own, alone, locked);
    group_by_lock(a, lanes, &groups);
    for (uint32_t i = 0; groups.count > AHEAD && i < groups.count; i++) // the locks would serialize them
        __builtin_prefetch(memory_read_records(a->addr[__builtin_ctz(groups.lanes[i])]));
    for (uint32_t i = 0; i < groups.count; i++) {
        uint64_t address = a->addr[__builtin_ctz(groups.lanes[i])];
        if (!locked)
            lock_address(address);
        if (!alone)
            contended_access(w, a, groups.lanes[i]);
        if (op && !a->moved)
            operation_visits(op, address);
        touch_run(w, a, groups.lanes[i], own);
        memory_touch(address, stamp);
        if (!locked)
            unlock_address(address);
    }
}
