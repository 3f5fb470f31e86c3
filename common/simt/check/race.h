// The race checker: two accesses to one word race if they come from different threads, at least one writes, not both
// are atomic, and nothing orders them.
//
// Order comes from three things. Barriers: every warp has a clock, and a barrier raises the floor below which
// everything is ordered (race.c). Fences with strong accesses, releases and acquires: a release leaves a node at
// the word it writes, an acquire of that word takes up the node and all that the releasing thread knew
// (race_order.c). Program order. Every word of shared (race_shared.c) and global memory (race_global.c) remembers its
// last write and its last read with thread, time and instruction. The scheme is FastTrack's (Flanagan and Freund, 2009)
// with clocks for warps instead of threads.
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "check/race_rule.h"
#include "exec/finding.h"
#include "exec/machine.h"

// Who did something, and when: a warp's clock at that time.
struct moment {
    uint64_t block;
    uint32_t warp, lane, clock;
};

// What a release publishes: everything of its block before `floor`, of its warp before lane_floor, of its lane up to
// clock, and all that `known` reaches.
struct release {
    struct moment by;
    uint32_t floor, lane_floor;
    enum scope scope;
    const struct acquired *known;
    const struct release *earlier; // at the same word, by atomics that continue each other
};

struct acquired {
    const struct release *release;
    const struct acquired *next;
};

struct lane_order {
    bool fenced;
    enum scope scope;
    uint32_t clock, floor, lane_floor; // at the fence
    const struct acquired *known;
    const struct acquired *pending;    // read by strong accesses, taken up at the next fence or barrier
};

// The checker's part of a block.
struct block_race {
    uint32_t floor;      // of the block: what any of its threads did before is ordered
    uint32_t soft_floor; // as floor, for what was fenced before a barrier
    uint32_t base;       // times in shared records count from here
    uint64_t *writes, *reads; // records of shared memory
    uint32_t shift, records;  // log2 of the bytes a record stands for; how many
    const struct acquired *known, *soft_known; // now; at the soft floor
    struct known_set *set;    // what `known` reaches
    struct lane_order *lanes; // of all threads; NULL unless the code has fences
    uint32_t *lane_storage[MAX_WARPS], *warp_storage[MAX_WARPS];
    struct sync_word *shared_words;
};

struct race_launch;

// The last write, or the last read, of a word of global memory. stamp: of the operation that did it; 0: none.
struct record {
    uint32_t stamp : 22, thread : 10;
    uint32_t block;
    uint32_t clock;
    uint32_t id : 22, bytes : 4, atomic : 1, strong : 1, narrow : 1, several : 1, wide : 1, blocks : 1;
};
_Static_assert(sizeof(struct record) == 16, "memory/memory.h reserves 16 bytes");

static inline uint32_t race_stamp(uint64_t number)
{
    return (uint32_t)(number % 0x3fffff + 1);
}

// A load that a loop of compare-and-swap starts from races with plain writes only, and nothing needs to know of it.
static inline bool starts_cas(const struct access *a)
{
    return a->kind == LOAD && a->in->order & ORDER_CAS_START;
}

// ---- race_clock.c
// Whether what was done at `past` is over for what lane l of w does now, by what shows it.
bool race_ordered(struct warp *w, uint32_t l, const struct moment *past, enum race_proof proof);

// ---- race_order.c
void order_launch_start(struct launch *launch);
void order_launch_end(struct launch *launch);
void order_fence(struct warp *w, enum scope scope);
void order_barrier(struct block *b, bool all_fenced);
void order_access(struct warp *w, const struct access *a); // strong or atomic, global (under its lock) or shared
bool order_knows(struct block *b, const struct moment *past);
void order_forget(struct block_race *r); // for the next block

// ---- race_shared.c, race_global.c
void race_shared_access(struct warp *w, const struct access *a);
void race_shared_start(struct block *b);
void race_global_access(struct warp *w, const struct access *a, bool locked);

// What a record says about an access.
struct side {
    enum access_kind kind;
    uint32_t id;
    struct moment when;
    bool unknown_thread; // several threads; this one is not the other party
    bool several_warps;
};

// Whether another lane did it in this very request to the same address.
static inline bool race_same_request(const struct warp *w, const struct access *a, uint32_t l, const struct side *past)
{
    return past->id == (a->in->id & 0x3fffff) && past->when.block == w->block->number && past->when.warp == w->index &&
           past->when.clock == w->clock.now && a->mask >> past->when.lane & 1 &&
           a->addr[past->when.lane] == a->addr[l];
}

void race_report(struct warp *w, const struct access *a, uint32_t lane, const struct side *past, bool same_value);

#endif
