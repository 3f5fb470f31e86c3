// The usual accesses to global memory: plain ones by a warp whose threads are ordered only by two clocks, the warp's
// and the block's. Their records are compared and joined without a branch, so that a loop over neighbouring words
// becomes a few wide instructions.
#pragma once

#include "check/race.h"

// The fields of a record's two words.
#define STAMP_BITS UINT64_C(0x3fffff)
#define THREAD_AT 22
#define THREAD_BITS (UINT64_C(1023) << THREAD_AT)
#define WARP_BITS (UINT64_C(31) << (THREAD_AT + 5)) // of a thread's number
#define BLOCK_AT 32
#define CLOCK_BITS UINT64_C(0xffffffff)
#define ID_BITS (UINT64_C(0x3fffff) << 32)
#define BYTES_AT 54
#define BYTES_BITS (UINT64_C(15) << BYTES_AT)
#define STRONG_BIT (UINT64_C(1) << 59)
#define SEVERAL_BIT (UINT64_C(1) << 61)
#define WIDE_BIT (UINT64_C(1) << 62)
#define BLOCKS_BIT (UINT64_C(1) << 63)

#define ROW_WORDS (LANES * 4)

// Copies of the records of neighbouring words.
struct record_row {
    uint64_t who[ROW_WORDS], what[ROW_WORDS];
};

static inline bool orders_simply(const struct warp *w)
{
    return !race_of(w->block)->cluster && !clock_of(w)->lanes && !clock_of(w)->warps &&
           !(w->block->launch->follow_orders && race_of(w->block)->known);
}

// Replaces a record, under its lock. copy_record() loads one without it: `who` first, then `what`. So the `what` that
// it loads is at least as new as the `who`. With either it also sees all earlier recorded writes.
static inline void put_record(struct record *to, struct record r)
{
    __atomic_store_n(&to->what, r.what, __ATOMIC_RELEASE);
    __atomic_store_n(&to->who, r.who, __ATOMIC_RELEASE);
}

static inline struct record copy_record(const struct record *from)
{
    struct record r;
    r.who = __atomic_load_n(&from->who, __ATOMIC_ACQUIRE);
    r.what = __atomic_load_n(&from->what, __ATOMIC_ACQUIRE);
    return r;
}

static inline void copy_row(struct record_row *to, const struct record *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct record r = copy_record(&from[i]);
        to->who[i] = r.who;
        to->what[i] = r.what;
    }
}

// The `who` of word i of neighbouring words, of which each lane has 1 << shift. first: the first lane's.
static inline uint64_t who_at(uint64_t first, uint32_t i, uint32_t shift)
{
    return first + ((uint64_t)(i >> shift) << THREAD_AT);
}

// ---- joining

// Whether records of several reads name the first read's instruction as well as its thread. If the code has strong
// reads, they name the last one's, because it shows whether a read promises anything.
static inline bool keeps_instruction(const struct warp *w)
{
    return !w->block->launch->strong;
}

// Bits of an earlier read that stay when a read by another block joins it.
static inline uint64_t kept_bits(const struct warp *w)
{
    return CLOCK_BITS | (keeps_instruction(w) ? ID_BITS : 0);
}

// What a plain read is joined with: its own record without the thread, the bits that stay, and the floor of ordered
// reads. follows: all ones or 0, as are the conditions below, so that the host joins several words at a time.
struct joining {
    uint64_t what, kept, id, follows;
    int64_t lane_floor, floor;
};

static inline struct joining joining_of(const struct warp *w, uint64_t what)
{
    uint64_t kept = kept_bits(w);
    return (struct joining){.what = what,
                            .kept = kept,
                            .id = kept & ID_BITS,
                            .follows = -(uint64_t)w->block->launch->follow_orders,
                            .lane_floor = clock_of(w)->lane_floor,
                            .floor = race_of(w->block)->floor};
}

static inline uint64_t any_of(uint64_t bits)
{
    return -(uint64_t)(bits != 0);
}

static inline uint64_t either(uint64_t condition, uint64_t then, uint64_t otherwise)
{
    return (condition & then) | (~condition & otherwise);
}

// Whether a record of its own block is ordered before the read. apart: the xor of the two threads.
static inline uint64_t in_simple_order(const struct joining *j, uint64_t apart, uint64_t past)
{
    int64_t clock = (int64_t)(past & CLOCK_BITS);
    uint64_t before = -(uint64_t)(clock < j->floor), lanes_before = -(uint64_t)(clock < j->lane_floor);
    uint64_t same = ~any_of(apart & THREAD_BITS), wide = any_of(past & WIDE_BIT), several = any_of(past & SEVERAL_BIT);
    uint64_t known = same | either(any_of(apart & WARP_BITS), before, lanes_before);
    uint64_t alone = either(wide, ~any_of(past & BLOCKS_BIT), lanes_before);
    return either(wide & ~before, j->follows & known, either(same & several, alone, known));
}

// The record of reads after `own` reads the same bytes: join_reads (race_global.c) if orders_simply() holds.
static inline struct record join_simply(const struct joining *j, uint64_t own, uint64_t who, uint64_t what)
{
    uint64_t apart = who ^ own, other = any_of(apart >> BLOCK_AT), stale = any_of(apart & STAMP_BITS);
    uint64_t beside = (j->what & ~j->kept) | (what & j->kept) | SEVERAL_BIT | WIDE_BIT | BLOCKS_BIT;
    uint64_t wide = any_of(apart & WARP_BITS) & WIDE_BIT;
    uint64_t here = (j->what & ~j->id) | (what & (j->id | WIDE_BIT | BLOCKS_BIT)) | SEVERAL_BIT | wide;
    uint64_t alone = stale | (~other & in_simple_order(j, apart, what));
    struct record r;
    r.who = either(alone, own, who);
    r.what = either(alone, j->what, either(other, beside, here));
    return r;
}

// Records plain reads of whole neighbouring words that others have not written, under their lock. False: nothing was
// done, since some records are of other bytes, or of strong reads.
static inline bool join_row(const struct joining *by, uint64_t first, struct record *reads, uint32_t n, uint32_t shift)
{
    const struct joining j = *by;
    struct record_row next;
    uint64_t unlike = 0, changed = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t own = first + (i >> shift << THREAD_AT), who = reads[i].who, what = reads[i].what;
        struct record r = join_simply(&j, own, who, what);
        unlike |= ~any_of((who ^ own) & STAMP_BITS) & (what ^ j.what) & (BYTES_BITS | STRONG_BIT);
        changed |= (r.who ^ who) | (r.what ^ what);
        next.who[i] = r.who;
        next.what[i] = r.what;
    }
    for (uint32_t i = 0; !unlike && changed && i < n; i++)
        if (next.who[i] != reads[i].who || next.what[i] != reads[i].what) { // others read it, so store only a change
            struct record r;
            r.who = next.who[i];
            r.what = next.what[i];
            put_record(&reads[i], r);
        }
    return !unlike;
}

// ---- accesses that add nothing to the records

// The record that a plain access leaves at whole words: own, by any lane of the warp. For reads, other: own joined with
// another block's read; here: own joined with reads by its own block at the same time. loose: bits in which a record
// keeps its own value.
struct repeat {
    struct record own;
    uint64_t other, other_loose, here, here_loose;
    uint64_t apart; // 0: it joins unordered reads by its own block
};

static inline struct repeat repeat_of(const struct warp *w, struct record own)
{
    uint64_t id = kept_bits(w) & ID_BITS;
    return (struct repeat){.own = own,
                           .other = own.what | SEVERAL_BIT | WIDE_BIT | BLOCKS_BIT,
                           .other_loose = CLOCK_BITS | id,
                           .here = own.what | SEVERAL_BIT,
                           .here_loose = id | WIDE_BIT | BLOCKS_BIT,
                           .apart = w->block->launch->follow_orders};
}

// Nonzero if a read would change this record of reads. No lock is held. The read counts as made when `who` was loaded.
// A newer `what` can only come from another block's join, since only this host thread runs this block.
static inline uint64_t read_adds(const struct repeat *now, uint64_t who, uint64_t what, uint64_t own)
{
    uint64_t apart = who ^ own, stale = apart & STAMP_BITS;
    uint64_t other = (what ^ now->other) & ~now->other_loose, exact = apart | (what ^ now->own.what);
    uint64_t wide = (apart & WARP_BITS) ? ~what & WIDE_BIT : 0;
    uint64_t here = ((what ^ now->here) & ~now->here_loose) | wide | now->apart;
    return stale | ((apart >> BLOCK_AT) ? other : exact ? here : 0);
}

static inline bool row_reads_repeat(const struct repeat *now, const struct record_row *r, uint64_t first, uint32_t n,
                                    uint32_t shift)
{
    uint64_t adds = 0;
    for (uint32_t i = 0; i < n; i++)
        adds |= read_adds(now, r->who[i], r->what[i], who_at(first, i, shift));
    return !adds;
}

// Whether the words have no record of this launch, or one by that thread alone.
static inline bool row_is_own(const struct record_row *r, uint64_t first, uint32_t n, uint32_t shift)
{
    uint64_t bad = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t apart = r->who[i] ^ who_at(first, i, shift);
        uint64_t unlike = apart | ((r->what[i] ^ BYTES_BITS) & (BYTES_BITS | SEVERAL_BIT));
        bad |= (apart & STAMP_BITS) ? 0 : unlike;
    }
    return !bad;
}

// Whether they have exactly this record, by that thread.
static inline bool row_equals(const struct record_row *r, struct record own, uint32_t n, uint32_t shift)
{
    uint64_t apart = 0;
    for (uint32_t i = 0; i < n; i++)
        apart |= (r->who[i] ^ who_at(own.who, i, shift)) | (r->what[i] ^ own.what);
    return !apart;
}
