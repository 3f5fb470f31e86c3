// The SIMT machine's core: the state of warps, blocks and launches.
//
// A grid's blocks run on host threads (launch.c), a block's warps in turn (block.c), a warp's lanes along their paths
// (warp.c). The rest of this folder is what instructions do, family by family.
//
// Counters and checks (count/, check/) are observers: instructions notify every observer of what they do and know none
// of them by name. A block holds the state of each observer without knowing its type.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/helper.h"
#include "decode/code.h"
#include "report/settings.h"

#define ALL_LANES 0xffffffffu
#define MAX_WARPS 32 // of a block
#define MOST_TICKET_WORDS 4
#define APART 128 // bytes; data written by different host threads lies in separate cache lines

struct block;
struct cluster;
struct launch;
struct worker;
struct finding;

// ---- accesses and observers
// -------------------------------------------------------------------------------------------

enum access_kind { LOAD, STORE, ATOMIC };

// An asynchronous copy is reported twice: when it is issued and when its bytes have arrived. BULK: part of a bulk copy,
// whose source and destination are reported in pieces; BULK_MAP: its tensor map.
enum async_part { ASYNC_NONE, ASYNC_ISSUED, ASYNC_DONE, BULK_ISSUED, BULK_DONE, BULK_MAP };

// Where a product's swizzle begins, other than the tile's. A copy swizzles by addresses; threads, from the tile's
// start.
enum tile_shift { SHIFTED_IF_COPIED = 1, SHIFTED_IF_STORED = 2 };

// The layout of a tile's rows in shared memory.
enum tile_layout { LAYOUT_UNKNOWN, LAYOUT_PLAIN, LAYOUT_32, LAYOUT_64, LAYOUT_128 }; // swizzles, by their span in bytes

static inline bool is_async_start(enum async_part part)
{
    return part == ASYNC_ISSUED || part == BULK_ISSUED;
}

static inline bool is_async_end(enum async_part part)
{
    return part == ASYNC_DONE || part == BULK_DONE;
}

// One warp's access to memory. Lane l of mask touches addr[l] .. addr[l] + size - 1: a device address, or an offset
// into the block's shared memory. data[l * stride] holds what lane l stores.
struct access {
    const struct insn *in;
    enum access_kind kind;
    enum ptx_space space; // PTX_GLOBAL, PTX_SHARED or PTX_LOCAL
    uint32_t mask;
    uint32_t size; // bytes of one lane
    const uint64_t *addr;
    bool contiguous;    // all 32 lanes are active, addr[l] = addr[0] + l * size, and addr[0] is a multiple of size
    uint64_t low, high; // smallest address, largest address + size
    const uint8_t *data;
    uint32_t stride;
    enum async_part async;
    uint8_t layout;     // of a tile that a tensor copy writes, or that a product reads; 0: unknown
    uint8_t shift;      // of a tile that a product reads: enum tile_shift flags
    bool moved;         // an observer's copy: its shared addresses are addresses in the arena
    struct block *peer; // the block of the cluster whose shared memory is accessed; NULL: the warp's own block
};

struct nested;

// The state of an observer for each launch, host thread, block and warp: bytes, zeroed, that the machine does not
// interpret. They begin `at` units after the state of all observers; state_place fills that in before the first launch
// that has the observer (observer_state.h). The hot stores write words and pointers, so `at` has 16 bits: the compiler
// then knows that they do not change it, and does not reload it.
enum state_level { OF_LAUNCH, OF_WORKER, OF_BLOCK, OF_WARP, STATE_LEVELS };
#define STATE_UNIT 64
struct observer_state {
    uint32_t bytes[STATE_LEVELS];
    uint16_t at[STATE_LEVELS];
    bool placed;
};

struct bulk;
enum bulk_step { BULK_IS_ISSUED, BULK_ARRIVES, BULK_IS_READ, BULK_IS_WAITED };

// The events; any function may be NULL. They come in warp order, those of a block from one host thread.
struct observer {
    struct observer_state *state;               // NULL: it has no state
    bool (*wants)(const struct launch *launch); // false: it receives no events of this launch; NULL: it wants all
    void (*launch_start)(struct launch *launch);
    void (*block_start)(struct block *b);
    // A whole request, before the memory changes.
    void (*access)(struct warp *w, const struct access *a);
    // Called again for strong and atomic accesses to global memory: in parts, each under the lock that orders it among
    // the host threads.
    void (*ordered_access)(struct warp *w, const struct access *a);
    void (*constant_access)(struct warp *w, const struct access *a);          // a load from constant memory
    void (*warp_sync)(struct warp *w, uint32_t lanes, const uint32_t *named); // each lane with its mask
    void (*block_sync)(struct block *b, uint32_t warps);                      // the warps of the mask have synchronized
    // barrier.cluster: the lanes of w->mask have arrived; all threads of the cluster have; the lanes continue after it.
    void (*cluster_arrive)(struct warp *w, bool release);
    void (*cluster_complete)(const struct cluster *c);
    void (*cluster_wait)(struct warp *w, uint32_t lanes);
    void (*proxy_fence)(struct warp *w); // fence.proxy.async, by the lanes of w->mask
    // Tensor maps: a lane has fenced one with fence.proxy.tensormap; a lane's copy reads one in global memory.
    void (*map_fence)(struct warp *w, uint64_t address);
    void (*map_read)(struct warp *w, const struct insn *in, uint32_t lane, uint64_t address);
    // A thread has issued a bulk copy; the bytes have arrived; a wait covers them, or only what it reads (exec/bulk.c).
    void (*bulk_step)(const struct bulk *c, enum bulk_step step);
    // w has waited for its warpgroup's products up to this number (exec/wgmma.c).
    void (*products_done)(struct warp *w, uint32_t number);
    void (*fence)(struct warp *w, enum scope scope, enum fence_kind kind);  // by the lanes of w->mask
    void (*device_launch)(struct warp *w, uint32_t lane, struct nested *n); // see exec/nested.h
    // A function of the device's library has stored bytes for the lane; the address has its tag (decode/code.h).
    void (*library_store)(struct warp *w, uint64_t address, uint32_t lane, uint32_t bytes);
    // In a random order: the value of element k of lane l's strong load, an access that the observer has just seen.
    uint64_t (*loaded)(const struct warp *w, uint32_t l, uint32_t k);
    // Called for every finding, with the words of the report, whether they were printed or not.
    void (*finding)(struct block *b, const struct finding *f, const char *words);
    void (*block_end)(struct block *b);
    void (*block_close)(struct block *b);                                    // its memory is freed
    void (*launch_end)(struct launch *launch, const struct worker *workers); // launch->worker_count of them
    bool alone;                                                              // all blocks run on one host thread
    // In a launch whose blocks communicate: the time at which the block continues. The earliest block runs next.
    double (*ready_time)(const struct block *b);
};

#define MAX_OBSERVERS 16

struct observers {
    const struct observer *list[MAX_OBSERVERS];
    uint32_t count;
};

// ---- execution ----------------------------------------------------------------------------------------------------

// A function's activation. Lanes that diverge inside it share it.
struct frame {
    const struct code *code;
    uint32_t reg_base;   // bytes into the warp's registers
    uint32_t local_base; // bytes into a thread's local memory
    uint32_t depth;
    const struct insn *call; // in the caller; NULL for the kernel
    struct frame *parent;
    struct join *join; // where its lanes reconverge after returning
};

// Where lanes reconverge: the immediate post-dominator of a divergent branch, or the return of a call.
struct join {
    struct frame *frame;
    uint32_t block;    // basic block in frame->code
    uint32_t expected; // lanes still expected or waiting here
    uint32_t arrived;  // lanes waiting here
    uint32_t age;      // increases with each round; see check_progress
    struct join *parent;
    struct frame *owned;       // frame that ends here
    struct join *next, **link; // all joins of the warp
};

// PATH_ENTERS: continues at a basic block, possibly after waiting at a join.
enum path_state {
    PATH_RUNS,
    PATH_ENTERS,
    PATH_AT_WARP_SYNC,
    PATH_AT_BARRIER,
    PATH_AT_CLUSTER,
    PATH_AT_PRODUCTS,
    PATH_AT_REGISTERS,
};

// Lanes of a warp that are at the same place. A warp's paths are disjoint.
struct path {
    uint32_t mask;
    uint32_t block; // basic block to run next; while waiting, that of the instruction it waits at
    enum path_state state;
    struct frame *frame;
    struct join *join;
    const struct insn *waits_at;
    uint32_t named; // while it waits for other lanes of the warp: the lanes that its masks name
};

struct warp {
    uint8_t *bank[2];                                  // current registers and constants
    uint32_t mask;                                     // active lanes
    int32_t lanes[LANES] __attribute__((aligned(64))); // the mask as a row of 0 and -1, unless all are active
    struct path *path;                                 // the running one
    const struct basic_block *blocks;                  // of the current function
    uint8_t *regs;
    uint8_t *local;          // LANES * local_stride bytes
    uint8_t *state;          // of observers
    uint32_t index;          // number of the warp in its block
    uint32_t alive;          // lanes that have not exited
    uint32_t first;          // lanes the warp started with
    bool switched;           // the path stopped running: choose another one
    bool at_barrier;         // all its lanes wait for other warps
    bool arrived;            // all its lanes reached a barrier in this time slice
    int64_t budget;          // instructions left of its time slice
    uint32_t spins;          // polls in this time slice
    bool spinning;           // the previous slice consisted of such polls
    bool copies, multiplies; // it has issued a bulk copy; a product of tensor cores
    bool polled_new;         // while a block is stalled: this slice polled a new address
    uint64_t polled_set[32]; // likewise: the addresses that it polled, a bit for each hash
    uint32_t undefined;      // lanes for which the store after undefined_at has no defined data (exec/undefined.h)
    const struct insn *undefined_at;
    uint32_t cluster_arrived;  // lanes that have arrived at the cluster's barrier, whose phase is not complete
    uint32_t cluster_open;     // lanes whose phase is complete but that have not waited for it yet
    uint32_t loaded_undefined; // lanes for which the last checked load returned an undefined value
    uint64_t polled_address;   // the word of global memory that it last polled
    uint32_t mbarrier;         // 1 + shared address of the mbarrier that its last test found incomplete; 0: none
    uint32_t ended_at;         // instruction at which its last lanes ended
    struct block *block;
    struct path paths[LANES];
    uint32_t path_count;
    struct join *joins;
    struct async_queue *async; // async.c; NULL until a copy is issued
    uint32_t tid[3][LANES] __attribute__((aligned(64)));
};

struct barrier {
    uint32_t warps;                  // warps that take part, including those that only arrived
    uint32_t waiting;                // warps that wait
    uint32_t threads;                // arrived, whole warps counted as 32
    uint32_t expected;               // threads; 0: all threads of the block
    uint32_t true_count, lane_count; // bar.red: lanes whose predicate held, lanes in all
};

struct block {
    struct launch *launch;
    struct worker *worker;
    uint64_t number; // x + nctaid.x * (y + nctaid.y * z)
    uint32_t id[3];
    uint32_t warp_count, thread_count;
    uint32_t live;         // mask of warps with lanes that have not exited
    uint32_t runnable;     // mask of warps that do not wait
    uint32_t exited;       // threads
    uint32_t slices;       // used so far, in a sampled launch
    uint64_t order;        // its position in the order of starts, from 0
    uint64_t issued;       // PTX instructions, of all its warps
    uint64_t products;     // multiplications of its tensor products
    uint64_t waits;        // time slices in which it only polled, while another block is stalled
    uint32_t exited_early; // threads that exited before the block's first barrier
    bool passed_barrier;   // a barrier has been completed
    uint8_t *shared;
    struct warp *warps;
    struct barrier barriers[BARRIERS];
    struct frame kernel; // of all its warps
    uint8_t *state;      // of observers
    bool cut_off;        // in a sampled launch: it was stopped before its end
    bool last_ticket;    // in a sampled launch: it has taken the ticket of the launch's last block
    uint8_t tickets;     // in a sampled launch: a bit for each word of ticket_words that has given it one
    bool held;           // this block is the stalled one, and does not run now
    struct cluster *cluster;
    uint32_t rank;            // in its cluster
    struct warpgroup *groups; // warpgroup.c; NULL until a warp needs one
    struct mbarriers *known;  // async.c; NULL until an mbarrier is initialized
    uint32_t spare_registers; // that setmaxnreg.dec has given back, and no setmaxnreg.inc has taken
};

// Blocks that run together, on one host thread, and reach one another's shared memory. In a launch without clusters
// each block is a cluster.
#define MAX_CLUSTER 16
struct cluster {
    uint64_t number;
    uint32_t size;
    struct block *blocks[MAX_CLUSTER]; // by their ranks
    uint32_t phases;                   // complete phases of its barrier
    uint32_t hint;                     // rank of a block that had not arrived there
    uint32_t exited_early;             // threads that had exited when the first phase was complete
    uint32_t at;                       // instruction of the latest arrival, and its block
    struct block *at_block;
    struct bulk_queue *bulk; // bulk.c's copies in flight; NULL: there have been none
};

// What one host thread does in a launch.
struct worker {
    struct launch *launch;
    uint32_t index;
    struct block_count {
        uint64_t warps, lanes;
    } * runs;              // per basic block
    uint64_t *diverged;    // per instruction: branches that went both ways
    uint64_t *guard_lanes; // per instruction: lanes that a guard let through
    uint64_t barriers, blocks, warps;
    uint64_t longest; // PTX instructions that one block's warps issued, the maximum
    uint64_t waits;   // time slices in which one block only polled, the maximum
    uint64_t random;
    uint8_t *state; // of observers
    struct control_pool *pool;
    struct task task;                   // for running it on a helper thread
    atomic_uint_fast64_t ended, passed; // blocks; slices that passed barriers; others only read them
    atomic_uint_fast64_t reached;       // first stores to a page, once the launch lasts long; others only read it
    atomic_uint_fast64_t written_by, returned_at; // checks for endless loops (exec/endless.c)
    uint64_t older;                               // strong loads that returned an older value than memory held
    uint64_t changes;                             // atomics that changed the value
    uint64_t stored;                              // stores that changed the value, while stores compare
    bool compares;                                // stores compare until one of them changes a value (exec/endless.c)
    uint64_t stopped; // the frozen value of its clocks while exec/endless.c checks its blocks; 0: they run
} __attribute__((aligned(APART)));

// Adds one to a counter that only this worker writes.
static inline void count_one(atomic_uint_fast64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

// What cudaDeviceSetLimit sets, in bytes: a thread's stack, the kernels' heap, printf's buffer. 0: there is no limit.
struct device_limits {
    uint64_t stack, heap, print;
};

struct launch {
    const struct code *code;
    struct module *module;
    uint32_t grid[3], dim[3];
    uint64_t block_count;
    uint32_t cluster[3]; // blocks of a cluster; 1, 1, 1: there are no clusters
    uint32_t cluster_size;
    bool explicit_cluster;  // the kernel or the launch asked for clusters
    bool clustered;         // other blocks may reach shared memory, or threads wait at a cluster's barrier
    uint64_t run_count;     // number of executed clusters
    uint64_t *sampled;      // their numbers; NULL: all clusters run
    bool partial;           // some blocks are skipped: what they would have written is unknown
    uint64_t longest_block; // in a partial launch: instructions after which a block is stopped
    bool cut_off;           // a block was stopped before its end
    bool tickets;           // a block's work may depend on a ticket instead of its number
    bool known_tickets;     // a whole launch gives these tickets: addresses that depend on nothing else are known
    uint32_t first_ticket;  // a word's first ticket, if not 0
    const void *ticket_at;  // only this word gives such tickets; NULL: every word that is counted up by one
    struct ticket_word {    // a word that has given tickets
        const void *at;
        uint64_t start, blocks; // its value before the first ticket; blocks that have taken one
        uint8_t size;
        bool wraps; // counted by atomicInc
    } ticket_words[MOST_TICKET_WORDS];
    uint32_t warps_per_block, threads_per_block;
    uint32_t dynamic_start, dynamic_shared; // offset and bytes of dynamic shared memory
    const uint8_t *shared_owner;            // code->shared_owner, if accesses to gaps are to be found; else NULL
    uint32_t reg_stride, local_stride;      // bytes per warp, per thread
    uint32_t call_depth;
    uint32_t reg_level; // bytes per level of calls: every function has its own stretch, since lanes may be in several
    const uint8_t *params;
    uint64_t workspace; // zeroed device memory for the grid barrier of a cooperative launch; 0: none
    uint64_t number;    // of this launch in the program, from 1
    bool cooperative;
    enum schedule schedule;
    bool follow_orders;       // some of the code has fences
    bool bulk;                // some of the code has bulk copies
    bool strong;              // some of the code has strong loads or stores
    bool locks;               // some of the code waits for locks: polls a compare-and-swap or an exchange
    bool weak;                // such a load may return an older value (struct observer)
    uint32_t reserved_shared; // bytes after the others that CUDA reserves for itself, if some of the code uses them
    bool sub_words;           // some of the code has shared accesses narrower than a word
    int device;
    uint32_t inaccessible; // a bit for each device whose memory this one may not touch (bounds.h)
    struct device_limits limits;
    atomic_uint_fast64_t printed; // bytes that a device would keep of what its threads print
    struct observers observers;
    bool watched;                                // accesses are reported to some of them
    double (*ready_time)(const struct block *b); // given by one of them; NULL: none
    atomic_int failed;                           // a cudaError_t: every worker stops
    atomic_bool lasting;                // no block has ended for so long that stores to new pages are counted: launch.c
    uint32_t worker_count;              // the maximum: a short launch ends before all of them start
    bool overlaps_host;                 // it may overlap the host (host_overlap.h)
    struct crew *crew;                  // its host threads
    uint8_t *state;                     // of observers
    uint32_t state_bytes[STATE_LEVELS]; // bytes of all their state
    struct operation *operation;        // in its stream, passed on to observers; NULL: none
    struct nested_queue *nested;        // the work that its threads launch (nested.h)
    uint32_t depth;                     // nesting depth; 0: the host launched it
    atomic_uint_fast64_t check_clock;   // exec/endless.c's clock
    atomic_uint places;                 // places of the device that no block and no worker holds
    atomic_uint_fast64_t next_block __attribute__((aligned(APART)));
};

// The number of blocks that are executed.
static inline uint64_t executed_blocks(const struct launch *launch)
{
    return launch->run_count * launch->cluster_size;
}

static inline bool all_started(const struct launch *launch)
{
    return atomic_load(&launch->next_block) >= launch->run_count;
}

// Where the reserved part of a block's shared memory starts, and the size of all its shared memory.
static inline uint32_t reserved_offset(const struct launch *launch)
{
    return (launch->dynamic_start + launch->dynamic_shared + 15) & ~15u;
}

static inline uint32_t shared_size(const struct launch *launch)
{
    return launch->reserved_shared ? reserved_offset(launch) + launch->reserved_shared
                                   : launch->dynamic_start + launch->dynamic_shared;
}

// Whether shared memory from low to high belongs to one variable, or lies after all of them.
static inline bool shared_holds(const struct launch *launch, uint64_t low, uint64_t high)
{
    if (high > shared_size(launch) || low >= high)
        return false;
    const uint8_t *owner = launch->shared_owner;
    if (!owner || low >= launch->dynamic_start)
        return true;
    return high <= shared_extent(launch->code) && owner[low] && owner[low] == owner[high - 1];
}

// Bytes of a thread's local memory that are the kernel's own variables.
static inline uint32_t local_checked(const struct launch *launch)
{
    return launch->code->has_locals ? launch->code->local_bytes : 0;
}

// Whether a shared access is to the reserved part, which the checks ignore.
static inline bool is_reserved(const struct launch *launch, const struct access *a)
{
    return launch->reserved_shared && a->space == PTX_SHARED && a->low >= reserved_offset(launch);
}

static inline bool block_failed(const struct block *b)
{
    return atomic_load_explicit(&b->launch->failed, memory_order_relaxed) != 0;
}

static inline uint32_t random_bits(struct worker *k)
{
    k->random ^= k->random << 13;
    k->random ^= k->random >> 7;
    k->random ^= k->random << 17;
    return (uint32_t)(k->random >> 32);
}

// An observer's state of a launch, a host thread, a block, a warp.
static inline void *launch_state(const struct launch *launch, const struct observer_state *s)
{
    return launch->state + (size_t)s->at[OF_LAUNCH] * STATE_UNIT;
}

static inline void *worker_state(const struct worker *k, const struct observer_state *s)
{
    return k->state + (size_t)s->at[OF_WORKER] * STATE_UNIT;
}

static inline void *block_state(const struct block *b, const struct observer_state *s)
{
    return b->state + (size_t)s->at[OF_BLOCK] * STATE_UNIT;
}

static inline void *warp_state(const struct warp *w, const struct observer_state *s)
{
    return w->state + (size_t)s->at[OF_WARP] * STATE_UNIT;
}

// Calls an event's function of every observer.
#define NOTIFY(launch, event, ...) \
    for (uint32_t o_ = 0; o_ < (launch)->observers.count; o_++) \
        if ((launch)->observers.list[o_]->event) \
    (launch)->observers.list[o_]->event(__VA_ARGS__)

// ---- rows ---------------------------------------------------------------------------------------------------------

static inline void *row(const struct warp *w, uint32_t place)
{
    return w->bank[place >> 31] + (place & 0x7fffffffu);
}

// The same for an operand that cannot be a constant: a destination, a predicate.
static inline void *register_row(const struct warp *w, uint32_t place)
{
    return w->bank[0] + place;
}

static inline uint32_t predicate(const struct warp *w, uint32_t place)
{
    return *(const uint32_t *)row(w, place);
}

// The block whose shared memory, or state of it, the access concerns.
static inline struct block *accessed_block(const struct warp *w, const struct access *a)
{
    return a->peer ? a->peer : w->block;
}

// The active lanes that the instruction's guard enables.
static inline uint32_t guard_lanes(const struct warp *w, const struct insn *in)
{
    uint32_t bits = *(const uint32_t *)register_row(w, in->guard & ~GUARD_NOT);
    return w->mask & (in->guard & GUARD_NOT ? ~bits : bits);
}

static inline void set_predicate(struct warp *w, uint32_t place, uint32_t bits)
{
    uint32_t *p = register_row(w, place);
    *p = (*p & ~w->mask) | (bits & w->mask);
}

// The lanes of a mask as a row of 0 and -1.
void mask_to_row(uint32_t mask, int32_t *out);

static inline void set_mask(struct warp *w, uint32_t mask)
{
    w->mask = mask;
    if (mask != ALL_LANES)
        mask_to_row(mask, w->lanes);
}

#define FOR_LANES(l, m) for (uint32_t m_ = (m), l; m_ && (l = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)
