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
// reads.
struct joining {
    uint64_t what, kept, id;
    uint32_t lane_floor, floor;
    bool follows;
};

static inline struct joining joining_of(const struct warp *w, uint64_t what)
{
    uint64_t kept = kept_bits(w);
    return (struct joining){.what = what,
                            .kept = kept,
                            .id = kept & ID_BITS,
                            .lane_floor = clock_of(w)->lane_floor,
                            .floor = race_of(w->block)->floor,
                            .follows = w->block->launch->follow_orders};
}

// Whether a record of its own block is ordered before the read. apart: the xor of the two threads.
static inline bool in_simple_order(const struct joining *j, uint64_t apart, uint64_t past)
{
    uint32_t clock = (uint32_t)past;
    bool same = !(apart & THREAD_BITS), wide = past & WIDE_BIT, several = past & SEVERAL_BIT;
    bool known = same | (clock < ((apart & WARP_BITS) ? j->floor : j->lane_floor));
    bool alone = wide ? !(past & BLOCKS_BIT) : clock < j->lane_floor;
    bool order = (same & several) ? alone : known;
    return (wide & (clock >= j->floor)) ? j->follows & known : order;
}

// The record of reads after `own` reads the same bytes: join_reads (race_global.c) if orders_simply() holds.
static inline struct record join_simply(const struct joining *j, uint64_t own, uint64_t who, uint64_t what)
{
    uint64_t apart = who ^ own, other = (apart >> BLOCK_AT) != 0, stale = (apart & STAMP_BITS) != 0;
    uint64_t beside = (j->what & ~j->kept) | (what & j->kept) | SEVERAL_BIT | WIDE_BIT | BLOCKS_BIT;
    uint64_t wide = (apart & WARP_BITS) ? WIDE_BIT : 0;
    uint64_t here = (j->what & ~j->id) | (what & (j->id | WIDE_BIT | BLOCKS_BIT)) | SEVERAL_BIT | wide;
    bool alone = stale | (!other & in_simple_order(j, apart, what));
    struct record r;
    r.who = alone ? own : who;
    r.what = alone ? j->what : other ? beside : here;
    return r;
}

// Records plain reads of whole neighbouring words that others have not written. False: nothing was done, since some
// records are of other bytes, or of strong reads.
static inline bool join_row(const struct joining *j, uint64_t first, struct record *reads, uint32_t n, uint32_t shift)
{
    struct record_row past, next;
    uint64_t unlike = 0, changed = 0;
    copy_row(&past, reads, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t own = who_at(first, i, shift), fresh = !((past.who[i] ^ own) & STAMP_BITS);
        struct record r = join_simply(j, own, past.who[i], past.what[i]);
        unlike |= fresh ? (past.what[i] ^ j->what) & (BYTES_BITS | STRONG_BIT) : 0;
        changed |= (r.who ^ past.who[i]) | (r.what ^ past.what[i]);
        next.who[i] = r.who;
        next.what[i] = r.what;
    }
    for (uint32_t i = 0; !unlike && changed && i < n; i++)
        if (next.who[i] != past.who[i] || next.what[i] != past.what[i]) { // others read it, so store only a change
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
