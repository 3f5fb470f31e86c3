// The race checker: two accesses to one word race if they come from different threads, at least one writes, not both
// are atomic, and nothing orders them.
//
// Order has three sources: program order; barriers, which raise the floor of the warps' clocks below which everything
// is ordered (race.c); and fences with strong accesses, releases and acquires. A release leaves a node at the word it
// writes, and an acquire of that word acquires the node and all that the releasing thread knew (race_order.c). Every
// word of shared (race_shared.c) and global memory (race_global.c) remembers its last write and its last read with
// thread, time and instruction. The scheme is FastTrack's (Flanagan and Freund, 2009) with clocks for warps instead of
// threads.
#pragma once

#include "check/race_rule.h"
#include "decode/forms.h"
#include "decode/opcodes.h"
#include "exec/access.h"
#include "exec/finding.h"
#include "exec/machine.h"
#include "memory/memory.h"

// Which lane did something, and when by its warp's clock.
struct moment {
    uint64_t block;
    uint32_t warp, lane, clock;
};

// What a lane has done in a critical section before its fence: from clock `from` to its first fence (block_to) and to
// its first one wider than the block (device_to). from 0: nothing.
struct unguarded {
    uint32_t from, block_to, device_to;
};

// What a release publishes: everything of its block before `floor`, of its warp before lane_floor, of its lane up to
// its clock except what was unguarded, and all that `known` reaches.
struct release {
    struct moment by;
    uint32_t floor, lane_floor;
    bool narrow; // it releases to its own block only
    bool mixed;  // it or an earlier one is narrow
    bool alone;  // it and all earlier ones are its own block's
    struct unguarded unguarded;
    const struct acquired *known;
    const struct release *earlier; // the previous release in the chain of atomics on this word
    const struct release *first;   // the first release of that chain; place: how many precede this one
    uint64_t place;
    const struct release *previous; // the previous release of a block in the same bucket
    const struct release *before;   // the previous release of its warp
    uint32_t made;                  // time of its warp
    uint32_t seen;                  // number of the latest entry in its block's list of acquired releases
    uint32_t taken;                 // number of the entry by which its own block acquired it; 0: it has not
};

static inline bool release_leaves_unguarded(const struct unguarded *u, uint32_t clock, bool same_block)
{
    return u->from && clock >= u->from && clock <= (same_block ? u->block_to : u->device_to);
}

// Whether a block (reader) that acquires the release knows the moment.
static inline bool release_covers(const struct release *r, const struct moment *past, uint64_t reader)
{
    if ((uint32_t)r->by.block != (uint32_t)past->block)
        return false;
    if (past->clock < r->floor)
        return true;
    if (past->warp != r->by.warp)
        return false;
    if (past->lane != r->by.lane)
        return past->clock < r->lane_floor;
    return past->clock <= r->by.clock && !release_leaves_unguarded(&r->unguarded, past->clock, r->by.block == reader);
}

// Whether r publishes all that e does: a later release of the same lane, which leaves nothing unguarded.
static inline bool release_includes(const struct release *r, const struct release *e)
{
    return r->by.warp == e->by.warp && r->by.lane == e->by.lane && r->by.clock >= e->by.clock && r->floor >= e->floor &&
           r->lane_floor >= e->lane_floor && !r->unguarded.from;
}

// An entry of a list of acquired releases.
struct acquired {
    const struct release *release;
    const struct acquired *next;
    bool narrow;      // by a read or a fence that orders only its own block
    bool taken;       // if pending: narrowed by such a fence
    uint32_t number;  // of this entry: one more than that of the entry before which it was added
    uint32_t foreign; // number of the latest entry up to this one by which the block learns of other blocks
};

// Which write a lane has read at a word, and by which instruction.
struct observation {
    uint64_t address;
    struct moment writer;
    uint32_t write, read; // instructions
};

// Records of words that strong accesses touch are in chains by address. In global memory one lock guards a chain.
#define SHARED_CHAINS 64
#define CHAINS (1 << 14)

static inline uint32_t chain_of(const struct access *a, uint64_t address)
{
    uint32_t word = (uint32_t)(address >> 2);
    return a->space == PTX_SHARED ? word % SHARED_CHAINS : (word % 16 << 10 | (address >> LOCK_SPAN & 1023));
}

#define OBSERVATIONS 4

// Flags that a lane has read recently; invalid for another block.
struct lane_observed {
    uint64_t block; // its number + 1
    uint32_t next;
    struct observation list[OBSERVATIONS];
};

struct lane_weak {
    uint64_t block_fence, device_fence; // times of its last fence.sc: of any scope, and of one beyond the block's
    uint32_t stale;                     // consecutive old values
};

// The last lock that a lane has acquired: the word, and its previous value. Invalid for another block.
struct lane_lock {
    uint64_t block; // its number + 1
    uint64_t address, free;
    bool waited; // for it, in a loop
    struct unguarded unguarded;
};

struct lane_order {
    bool fenced;
    enum scope scope;
    uint32_t clock, floor, lane_floor; // at the fence
    uint32_t wide_clock, wide_floor;   // at the last fence beyond the block's scope; 0: there was none
    uint32_t init_clock;               // likewise, or fence.mbarrier_init, after which a flag publishes everything here
    const struct acquired *known;
    const struct acquired *pending; // read by strong accesses, acquired at the next fence or barrier
    const struct acquired *latest;  // the latest entry of its block's list that it has acquired; NULL: none
};

// Clocks of a warp.
struct warp_clock {
    uint32_t now;        // time of the warp, stored in every record
    uint32_t lane_floor; // the warp's accesses before this time are ordered before its current ones
    uint32_t *lanes;     // [32][32] latest time of lane m that lane l knows; NULL: lane_floor is enough
    uint32_t *warps;     // [32] latest time of each warp that this warp knows; NULL: the block's floor is enough
    uint32_t dirty;      // lanes with global stores that no fence has followed
    const struct acquired *latest; // the latest entry of the block's list that one of its lanes has acquired
    const struct acquired *known;  // likewise, before its lanes synchronized
};

// The checker's state for a host thread: the latest time of any warp in its finished blocks.
struct race_worker {
    uint32_t clock;
};

// When a warp has waited for products of its warpgroup, the latest times (race_product.c).
#define WAITS 32
struct product_wait {
    uint32_t number, clock; // number of the latest product; the warp's time
};

struct warp_waits {
    uint32_t count;
    struct product_wait list[WAITS];
};

// The latest answer to whether an earlier access is ordered before a lane's current one. It holds for that record and
// thread until the block learns something.
#define ANSWERS 64
struct answer {
    uint64_t record;
    uint32_t version, thread; // the block's version; the lane's thread
    bool ordered;
};

#define CLUSTER_READERS 8

// The checker's state for a block.
struct block_race {
    uint32_t floor;                            // the block's accesses before this time are ordered
    uint32_t soft_floor;                       // likewise, accesses that were fenced before a barrier
    uint32_t base;                             // times in shared records count from here
    uint32_t started;                          // the block's first time
    uint64_t *writes, *reads;                  // records of shared memory
    uint64_t *others;                          // second records of reads, by another warp; used if releases order warps
    uint32_t shift, records;                   // log2 of the bytes that a record covers; number of records
    uint32_t version;                          // counts what may order more accesses: barriers, fences, acquires
    struct answer answers[2][ANSWERS];         // of race_shared.c, about reads and writes
    const struct acquired *known, *soft_known; // now; at the soft floor
    const struct acquired *floor_known;        // at the floor: what every thread knows
    const struct acquired *from_barrier;       // the entry that a fence added for what was read before the floor
    const struct acquired *before_barrier;     // with SIMT_CHECK=acquire: read before a barrier, no fence yet
    struct known_set *set;                     // what `known` reaches
    struct chunk *chunks;                      // memory for what only this block can reach
    struct release *releases;                  // likewise: the latest releases
    struct release *of_warp[MAX_WARPS];        // the latest release of each warp
    bool published;                            // other blocks may now reach all of it
    struct cluster_race *cluster;              // race_cluster.c's; NULL unless the launch is clustered
    struct record *cluster_readers[CLUSTER_READERS]; // likewise: last reads of shared words; NULL: none by those warps
    struct lane_order *lanes;                        // of all threads; NULL unless the code has fences
    struct lane_lock *locks;                         // likewise; NULL until the first is taken
    struct lane_observed *observed;                  // likewise; NULL unless it has strong loads or stores
    struct block_weak *weak;                         // race_weak.c's; NULL unless the launch is weak
    bool pending;                                    // some lanes have pending releases
    uint32_t *lane_storage[MAX_WARPS], *warp_storage[MAX_WARPS];
    struct sync_word *shared_words[SHARED_CHAINS];
    struct warp_waits *waits;  // of all warps, race_product.c's; NULL until a product is complete
    struct block_maps *maps;   // race_proxy.c's; NULL until the block fences a tensor map
    struct block_proxy *proxy; // race_proxy.c's; NULL unless the kernel has products or bulk copies
};

// The last access of another block's warp to this block's shared memory. clock 0: there was none.
struct visit {
    uint32_t clock, lane, id, size;
    enum access_kind kind;
};

// When the warps of a block have arrived at the cluster's barrier, by their clocks.
struct arrivals {
    uint32_t last[MAX_WARPS]; // their latest arrivals
    uint32_t data[MAX_WARPS]; // what these release: everything up to this time
    uint32_t init[MAX_WARPS]; // likewise, mbarrier.init up to this time by these lanes
    uint32_t init_lanes[MAX_WARPS];
};

// What a block of a cluster knows of the others through the cluster's barrier.
struct cluster_race {
    struct arrivals arrived;             // of its own warps
    struct arrivals now[MAX_CLUSTER];    // of the cluster's warps, in the latest phase
    struct arrivals before[MAX_CLUSTER]; // likewise, in the previous phase
    bool relaxed;                        // some arrivals of this phase, or an earlier one, were relaxed
    uint32_t lag[MAX_WARPS];             // lanes that have not waited for the latest phase
    bool waited;                         // some lane has not
    uint32_t floor;                      // time of the block at that phase
    struct visit visits[MAX_CLUSTER][MAX_WARPS];
};

struct race_launch;
struct weak_launch;

extern struct observer_state race_state;

static inline struct race_launch *race_of_launch(const struct launch *launch)
{
    return launch_state(launch, &race_state);
}

static inline uint32_t acquired_number(const struct acquired *a)
{
    return a ? a->number : 0;
}

static inline const struct acquired *later_acquired(const struct acquired *a, const struct acquired *b)
{
    return acquired_number(a) > acquired_number(b) ? a : b;
}

static inline struct block_race *race_of(const struct block *b)
{
    return block_state(b, &race_state);
}

static inline struct warp_clock *clock_of(const struct warp *w)
{
    return warp_state(w, &race_state);
}

// The orders of a lane, if the code has fences.
static inline struct lane_order *order_of(const struct warp *w, uint32_t l)
{
    return &race_of(w->block)->lanes[w->index * LANES + l];
}

// More accesses may now be ordered for a thread of the block: earlier answers are void.
static inline void race_learns(const struct block *b)
{
    race_of(b)->version++;
}

// The last write, or the last read, of a word of global memory. stamp: the operation's; 0: none. bytes: mask of the
// word's bytes to which it applies. 0: each byte has its own record, and this is the latest one.
struct record {
    union {
        struct {
            uint32_t stamp : 22, thread : 10;
            uint32_t block;
            uint32_t clock;
            uint32_t id : 22, bytes : 4, atomic : 1, strong : 1, narrow : 1, several : 1, wide : 1, blocks : 1;
        };
        struct {
            uint64_t who, what; // the same fields as two words, for the fast path (race_global.c)
        };
    };
};
_Static_assert(sizeof(struct record) == 16, "memory/memory.h reserves 16 bytes");

static inline uint32_t race_stamp(uint64_t number)
{
    return (uint32_t)(number % 0x3fffff + 1);
}

// A load that starts a compare-and-swap loop races only with plain writes, and leaves no record.
static inline bool starts_cas(const struct access *a)
{
    return a->kind == LOAD && a->in->order & ORDER_CAS_START;
}

static inline bool is_strong(const struct access *a)
{
    return a->kind == ATOMIC || a->in->order & (ORDER_STRONG | ORDER_VOLATILE);
}

// A strong load whose value is used, and that is not repeated until the value is right (decode/flag_load.c).
static inline bool reads_data(const struct access *a)
{
    return a->kind == LOAD && is_strong(a) && a->in->order & ORDER_DATA && !a->in->spins;
}

// Whether the access is recorded as strong: it promises to be seen.
static inline bool promises(const struct access *a)
{
    return a->in->order & ORDER_STRONG || (a->in->order & ORDER_VOLATILE && !reads_data(a));
}

// Whether size bytes are equal; size is usually four.
static inline bool race_same_bytes(const void *a, const void *b, uint32_t size)
{
    return size == 4 ? *(const uint32_t *)a == *(const uint32_t *)b : !memcmp(a, b, size);
}

// Whether lane l's atomic changes the word at `there`: a failed compare-and-swap only reads, and so does an exchange
// that writes the value already there.
static inline bool race_changes(const struct access *a, uint32_t l, const void *there)
{
    static const uint64_t zero;
    const uint8_t *operand = a->data ? a->data + l * a->stride : NULL;
    if (a->kind != ATOMIC || !operand)
        return a->kind != LOAD;
    if (a->in->sub == ATOM_CAS)
        return race_same_bytes(operand, there, a->in->size);
    if (a->in->sub == ATOM_EXCH)
        return !race_same_bytes(operand, there, a->in->size);
    bool adds = a->in->sub == ATOM_ADD || a->in->sub == ATOM_OR || a->in->sub == ATOM_XOR;
    return !adds || !race_same_bytes(operand, &zero, a->in->size);
}

// Whether the access is strong only for its own block.
static inline bool is_narrow_scope(const struct warp *w, enum scope scope)
{
    return scope == SCOPE_BLOCK || (scope == SCOPE_CLUSTER && w->block->launch->cluster_size == 1);
}

static inline bool is_narrow(const struct warp *w, const struct access *a)
{
    return is_narrow_scope(w, a->in->scope) && !(a->in->order & ORDER_VOLATILE) && is_strong(a);
}

static inline struct race_current race_current_of(const struct warp *w, const struct access *a)
{
    bool relaxed = a->kind == ATOMIC || a->in->order & ORDER_STRONG;
    return (struct race_current){.load = a->kind == LOAD,
                                 .relaxed = relaxed,
                                 .is_volatile = a->in->order & ORDER_VOLATILE,
                                 .data = reads_data(a),
                                 .spins = a->kind == LOAD && a->in->spins,
                                 .narrow = relaxed && is_narrow_scope(w, a->in->scope),
                                 .starts_cas = starts_cas(a),
                                 .overwrites = a->kind == ATOMIC && a->in->sub == ATOM_EXCH && a->in->dst == NONE};
}

// ---- race_order.c
struct weak_launch *race_weak(struct launch *launch);
void order_launch_start(struct launch *launch);
void order_launch_end(struct launch *launch);
void order_fence(struct warp *w, enum scope scope, enum fence_kind kind);
void order_barrier(struct block *b, bool all_fenced);
// A release of the block, with what the block knows; the block learns of another's.
const struct release *order_block_release(struct block *b, struct release what);
void order_block_learn(struct block *b, const struct release *what);
// Strong or atomic, global (under its lock) or shared. True: a lane has taken a lock.
bool order_access(struct warp *w, const struct access *a);
bool order_unguarded(struct warp *w, uint32_t l, uint64_t block); // it holds a lock, and no fence for that block
const struct release *order_head(struct warp *w, const struct access *a, uint32_t l); // what the word publishes
void order_read(struct warp *w, const struct access *a, uint32_t l, const struct release *head); // lane l has read it
// order_observe: the lane has read a write at address. The queries: has it read this write there, or a later one of the
// same thread?
void order_observe(struct warp *w, uint32_t l, const struct observation *sight);
bool order_has_seen(struct warp *w, uint32_t l, uint64_t address, const struct moment *writer);
const struct observation *order_observation(struct warp *w, uint32_t l, const struct moment *past);
void order_forget(struct block_race *r); // for the next block
const struct release *order_releases_of(const struct block *b, uint32_t block);
// The lanes have synchronized, all of the warp or some; or some warps have. What one has acquired, the others know.
void order_sync_warp(struct warp *w);
void order_sync_lanes(struct warp *w, uint32_t lanes);
void order_sync_warps(struct block *b, uint32_t warps);
// The latest entry of the block's list that lane l knows, because it, a lane that it has synchronized with since, or
// the block before its last barrier has acquired it. It knows the entries before it, too.
const struct acquired *order_latest(const struct warp *w, uint32_t l);

void *race_alloc(struct launch *launch, size_t size); // until the launch ends

// ---- race_known.c
void known_forget(struct known_set *set);
bool order_block_knows(struct block *b, const struct moment *past); // some thread of the block does
// Whether the moment happens before the lane's current access, through what was acquired by the lane, by a lane that it
// has synchronized with since, or by the whole block.
bool order_knows(struct warp *w, uint32_t l, const struct moment *past);
// The same for an access of another lane of its warp, by what that lane has released.
bool order_knows_others(struct warp *w, uint32_t l, const struct moment *past);
// The same as if the lane, or its block after a barrier, executed a fence now: then it suffices that the writers of
// flags have released.
bool order_known_if_fenced(struct warp *w, uint32_t l, const struct moment *past);
// With SIMT_CHECK=acquire: whether the block had acquired the moment before its last barrier, without a fence so far.
// Strong loads do not return values from before it.
bool order_known_after_barrier(struct warp *w, const struct moment *past);

// ---- race_cluster.c
void race_cluster_start(struct block *b);
// The block of w's cluster with this number; NULL: it is in another one.
struct block *race_cluster_block(const struct warp *w, uint64_t block);
void race_cluster_free(struct block_race *r);
void race_cluster_arrive(struct warp *w, bool release);
void race_cluster_complete(const struct cluster *c);
void race_cluster_wait(struct warp *w, uint32_t lanes);
void race_cluster_sync(struct block *b,
                       uint32_t warps); // synchronized lanes: a wait by one counts for all
bool race_cluster_knows(const struct warp *w, uint32_t l, const struct moment *past);
bool race_cluster_knows_init(const struct warp *w, uint32_t l, const struct moment *past);  // past: an mbarrier.init
bool race_cluster_met_relaxed(const struct warp *w, uint32_t l, const struct moment *past); // its block has since
void race_cluster_visit(struct warp *w, const struct access *a); // a is an access to a->peer's shared memory
void race_cluster_end(struct block *b);
// Keeps a read of a word of a cluster's shared memory (a->moved). Returns the last read kept of warp i, or of a warp
// with the same i % CLUSTER_READERS; NULL: none.
void race_cluster_read(struct warp *w, const struct access *a, uint64_t address, const struct record *own);
struct record *race_cluster_reader(const struct warp *w, const struct access *a, uint64_t address, uint32_t i);

// ---- race_product.c
void race_product_start(struct block *b);
void race_products_done(struct warp *w, uint32_t number);
void race_product_write(struct warp *w, const struct access *a);
// Whether instruction id is a product that read a word at `past` and is complete for lane l. wide: other warps read the
// word, too.
bool race_product_done(struct warp *w, uint32_t l, const struct moment *past, uint32_t id, bool wide);

// ---- race_bulk.c
void race_bulk_access(struct warp *w, const struct access *a);

// ---- race_proxy.c
void race_proxy_start(struct block *b);
void race_proxy_fence(struct warp *w);
void race_proxy_barrier(struct block *b);
void race_proxy_access(struct warp *w, const struct access *a);
void race_proxy_global(struct warp *w, const struct access *a); // a bulk copy reads
void race_map_fence(struct warp *w, uint64_t address);
void race_map_read(struct warp *w, const struct insn *in, uint32_t lane, uint64_t address);

// ---- what a lane knows of an earlier access

static inline bool known_in_warp(const struct warp *w, uint32_t l, const struct moment *past)
{
    if (past->clock < clock_of(w)->lane_floor)
        return true;
    return clock_of(w)->lanes && past->clock <= clock_of(w)->lanes[l * LANES + past->lane];
}

static inline bool known_in_block(const struct warp *w, const struct moment *past)
{
    if (past->clock < race_of(w->block)->floor)
        return true;
    return clock_of(w)->warps && past->clock <= clock_of(w)->warps[past->warp];
}

static inline bool known(struct warp *w, uint32_t l, const struct moment *past)
{
    struct block *b = w->block;
    if (past->block == b->number) {
        if (past->warp == w->index && past->lane == l)
            return true;
        if (past->warp == w->index ? known_in_warp(w, l, past) : known_in_block(w, past))
            return true;
    }
    if (race_of(b)->cluster && race_cluster_knows(w, l, past))
        return true;
    return b->launch->follow_orders && order_knows(w, l, past);
}

// Whether an access at `past` happens before the current one of lane l of w, given the proof that this takes.
static inline bool race_ordered(struct warp *w, uint32_t l, const struct moment *past, enum race_proof proof)
{
    const struct warp_clock *c = clock_of(w);
    switch (proof) {
    case PROOF_ALWAYS: return true;
    case PROOF_KNOWN: return known(w, l, past);
    case PROOF_MEETING: return c->warps || (w->block->launch->follow_orders && known(w, l, past));
    case PROOF_OWN_WARP:
        return c->lanes || c->warps || past->clock < c->lane_floor ||
               (w->block->launch->follow_orders && order_knows_others(w, l, past));
    case PROOF_ACQUIRED: return race_of(w->block)->known;
    }
    return false;
}

// ---- race_weak.c: what strong loads give in a random order
struct weak_launch *weak_launch_open(void);
void weak_block_start(struct block *b);
void weak_block_free(struct block_race *r);
void weak_fence(struct warp *w, enum scope scope); // a fence.sc
void weak_barrier(struct block *b, uint32_t warps);
void weak_write(struct warp *w, const struct access *a); // a strong access, before memory changes
void weak_load(struct warp *w, const struct access *a);  // chooses the values; sets the block's stale lanes
uint32_t weak_stale(const struct warp *w);               // lanes to which the last load gives an older value
uint64_t weak_value(const struct warp *w, uint32_t l, uint32_t k);

// ---- race_shared.c, race_global.c
bool race_shared_plainly_written(struct warp *w, uint64_t address);
bool race_plainly_written(struct warp *w, const struct access *a, uint32_t l); // the last write there is not strong
void race_shared_access(struct warp *w, const struct access *a);
void race_shared_start(struct block *b);
void race_global_access(struct warp *w, const struct access *a, bool locked);

// The record of the last write or read of the byte at address. The byte has a record only if its stamp equals the
// word's.
static inline struct record *race_write_of(uint64_t address)
{
    struct record *word = memory_write_records(address);
    return word->stamp && !word->bytes ? memory_byte_writes(address) : word;
}

static inline struct record *race_read_of(uint64_t address)
{
    struct record *word = memory_read_records(address);
    return word->stamp && !word->bytes ? memory_byte_reads(address) : word;
}

// An earlier access, as recorded.
struct side {
    enum access_kind kind;
    uint32_t id;
    struct moment when;
    bool unknown_thread; // several threads made it; this one is not the other side of the race
    bool several_warps;
    bool torn;   // both accesses are strong, but they overlap only in part
    bool strong; // both are strong, and yet they race
    bool narrow; // one of them has block scope only
};

// Bytes that the earlier instruction moved at once; 0: irrelevant.
static inline uint32_t earlier_size(const struct warp *w, uint32_t id)
{
    const struct module *m = w->block->launch->module;
    return id < m->origin_count ? m->origins[id].size : 0;
}

static inline bool origin_spins(const struct warp *w, uint32_t id)
{
    const struct module *m = w->block->launch->module;
    return id < m->origin_count && m->origins[id].spins;
}

static inline bool origin_volatile(const struct warp *w, uint32_t id)
{
    const struct module *m = w->block->launch->module;
    return id < m->origin_count && m->origins[id].order & ORDER_VOLATILE;
}

static inline bool origin_strong(const struct warp *w, uint32_t id)
{
    const struct module *m = w->block->launch->module;
    return id < m->origin_count && m->origins[id].order & (ORDER_STRONG | ORDER_VOLATILE);
}

static inline bool origin_init(const struct warp *w, uint32_t id) // of an mbarrier
{
    const struct module *m = w->block->launch->module;
    return id < m->origin_count && m->origins[id].op == OP_mbarrier &&
           is_family(m->origins[id].ptx->op, "mbarrier.init");
}

// Whether an earlier access overlaps the current one only in part. Elements of a vector are separate accesses; all are
// aligned to their size.
static inline bool race_torn(const struct warp *w, const struct access *a, uint32_t earlier_id)
{
    uint32_t past = earlier_size(w, earlier_id);
    return past && a->in->size && past != a->in->size;
}

// In a launch that skips blocks: whether a skipped block may have written the address of a or of instruction past.
static inline bool race_unknown(const struct warp *w, const struct access *a, uint32_t past)
{
    const struct launch *launch = w->block->launch;
    return access_unknown(launch, past) || access_unknown(launch, a->in->id);
}

// past: the last write or read of the word at `there`.
void race_report(struct warp *w, const struct access *a, uint32_t lane, const struct side *past, const uint8_t *there,
                 bool write);
