// The SIMT machine's core: how decoded code, warps, blocks and a launch look.
//
// The stages depend downward only:
//
//     runtime_*.c   the CUDA runtime API              launch.c   a grid over host threads
//     module.c      fat binary -> decoded kernels     block.c    warps of one block, block barriers
//     decode.c cfg.c                                  warp.c     paths of one warp, reconvergence
//     ptx_*.c fatbin.c                                alu.c access.c async.c atomic.c sync.c control.c
//                                                     memory*.c  the device's memory
//
// A register is a row of 32 lanes (a predicate: one 32-bit mask). An instruction is a handler and the places of its
// rows; a row's place is a byte offset into one of two banks: the warp's registers or the code's constants.
// Counters and checks (count.c, check_*.c) are observers: the instructions tell every observer what they do and know
// none of them by name.
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ptx.h"
#include "settings.h"

#define LANES 32
#define ALL_LANES 0xffffffffu
#define MAX_WARPS 32 // of a block
#define BARRIERS 16  // named barriers of a block
#define NONE UINT32_MAX
#define APART 128 // bytes; what host threads write apart from one another lies in cache lines of its own

// Generic addresses: global memory has its host address; the windows of the other spaces carry a tag.
#define TAG_SHARED (UINT64_C(1) << 56)
#define TAG_LOCAL (UINT64_C(1) << 57)
#define TAG_PARAM (UINT64_C(1) << 58)
#define TAG_CODE (UINT64_C(1) << 59) // function pointers: TAG_CODE + index of the function in its module
#define TAG_MASK (UINT64_C(0xff) << 56)

struct warp;
struct insn;
struct block;
struct launch;
struct worker;
typedef void handler(struct warp *w, const struct insn *in);

// ---- decoded code -------------------------------------------------------------------------------------------------

enum access_kind { LOAD, STORE, ATOMIC };

enum scope { SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM }; // cta (and cluster), gpu, sys

// What an instruction on memory promises to other threads.
enum order_flags {
    ORDER_VOLATILE = 1, // strong, but orders nothing within a warp
    ORDER_STRONG = 2,   // relaxed or more
    ORDER_ACQUIRE = 4,
    ORDER_RELEASE = 8,
    ORDER_CAS_START = 16, // a plain load that a loop of compare-and-swap starts from (cas_start.c)
    ORDER_READ_ONLY = 32, // a load that may be answered from a cache that knows of no writes (ld.global.nc)
    ORDER_DATA = 64,      // a volatile load that reads more than a flag (flag_load.c)
};

#define CONSTANT_BANK 0x80000000u // in a place: the row is a constant
#define GUARD_NOT 0x40000000u     // in a guard: run where the predicate is false
#define ADDRESS_32 0x80           // in order: the address row has 32-bit lanes
#define SPACE_FRAME PTX_REG       // in space: parameters of calls, in the frame of a thread

struct insn {
    handler *run;
    uint32_t dst, a, b, c; // places of rows
    int64_t imm;           // address offset, special register, barrier number, ...
    uint32_t target;       // basic block, first of a list of rows, callee
    uint32_t guard;        // place of the guard predicate; NONE: unguarded
    handler *guarded;      // what op_guarded runs
    uint32_t id;           // number of this instruction in its module: index of counters and of the source line
    uint16_t op;           // enum opcode
    uint8_t size;          // memory: bytes of an element
    uint8_t count;         // memory: elements of a vector
    uint8_t space;         // enum ptx_space
    uint8_t order;         // enum order_flags
    uint8_t scope;         // enum scope
    uint8_t sub;           // what the handler distinguishes further: atomic operation, shuffle mode, negations
};

struct basic_block {
    const struct insn *first, *last; // the last one decides what follows
    uint32_t id;                     // number of this block in its module: index of counters
    uint32_t post_dominator;         // where diverged lanes meet again; NONE: nowhere in this function
    uint32_t length;                 // PTX instructions in it
};

// One function, ready to run.
struct code {
    const char *name;      // as in PTX
    const struct ptx_function *ptx;
    struct module *module;
    struct insn *insns;
    uint32_t insn_count;
    struct basic_block *blocks;
    uint32_t block_count;
    uint32_t *lists;       // places of rows of vectors, of call arguments
    uint8_t *constants;    // rows of immediates, 64-byte aligned
    uint32_t reg_bytes;    // of all register rows
    uint32_t reg_offset;   // of a function's rows within those of its level of calls
    uint32_t shared_bytes; // static shared memory
    uint32_t *shared_names, shared_name_count; // of the module's shared variables: those that it names itself
    uint32_t *shared_offsets; // of a kernel: where each of them lies that it can reach
    uint32_t local_bytes;  // frame of one thread: parameters, then .local and .param variables
    uint32_t ret_offset;   // of the first return parameter in the frame
    uint32_t param_bytes;  // of a kernel's parameters
    bool calls;            // contains a call
    bool sub_words;        // has shared accesses narrower than a word
    bool reserved_shared;  // reads where the reserved part of shared memory starts
    bool orders;           // has fences, acquires or releases: the race checker must follow them
};

// Instruction number -> where it comes from.
struct origin {
    const struct code *code;
    const struct ptx_instr *ptx;
    uint32_t block; // number of its basic block
    uint16_t op;
};

struct module {
    struct ptx_module *ptx;
    struct code **codes; // per function of ptx, NULL until needed
    uint64_t *var_address; // per variable of ptx: address in device memory, shared offset for .shared
    struct origin *origins;
    uint32_t origin_count, origin_capacity;
    const struct ptx_variable **shared; // .shared variables outside kernels, in the order of their first mention
    uint32_t shared_count;
    uint32_t block_count; // basic blocks of all decoded code
};

// ---- observers ------------------------------------------------------------------------------------------------------

// A copy that goes on beside the program is told twice: when it is issued and when its bytes are there.
enum async_part { ASYNC_NONE, ASYNC_ISSUED, ASYNC_DONE };

// One warp's access to memory. Lane l of mask touches addr[l] .. addr[l] + size - 1: a device address, or an offset
// into the block's shared memory. data[l * stride] holds what lane l stores.
struct access {
    const struct insn *in;
    enum access_kind kind;
    enum ptx_space space; // PTX_GLOBAL, PTX_SHARED or PTX_LOCAL
    uint32_t mask;
    uint32_t size; // bytes of one lane
    const uint64_t *addr;
    bool contiguous; // all 32 lanes, addr[l] = addr[0] + l * size, and addr[0] a multiple of size
    uint64_t low, high; // smallest address, largest address + size
    const uint8_t *data;
    uint32_t stride;
    enum async_part async;
};

// What may be told; any function may be NULL. In warp order; from one host thread per block.
struct observer {
    void (*launch_start)(struct launch *launch);
    void (*block_start)(struct block *b);
    // A whole request, before the memory changes.
    void (*access)(struct warp *w, const struct access *a);
    // Strong and atomic accesses to global memory once more, in parts, each under the lock that orders it among the
    // host threads.
    void (*ordered_access)(struct warp *w, const struct access *a);
    void (*warp_sync)(struct warp *w, uint32_t lanes, const uint32_t *named); // lanes have met, each with its mask
    void (*block_sync)(struct block *b, uint32_t warps);    // the warps of the mask have met
    void (*fence)(struct warp *w, enum scope scope);        // by the lanes of w->mask
    void (*block_end)(struct block *b);
    void (*block_close)(struct block *b); // its memory goes away
    void (*launch_end)(struct launch *launch);
};

#define MAX_OBSERVERS 4

// ---- execution ----------------------------------------------------------------------------------------------------

// A function's activation. Lanes that diverge inside it share it.
struct frame {
    const struct code *code;
    uint32_t reg_base;   // bytes into the warp's registers
    uint32_t local_base; // bytes into a thread's local memory
    uint32_t depth;
    const struct insn *call; // in the caller; NULL for the kernel
    struct frame *parent;
    struct join *join;       // where its lanes meet after returning
};

// A place where lanes meet again: the immediate post-dominator of a divergent branch, or the return of a call.
struct join {
    struct frame *frame;
    uint32_t block;    // basic block in frame->code
    uint32_t expected; // lanes still on their way or waiting here
    uint32_t arrived;  // lanes waiting here
    uint32_t age;      // grows from turn to turn: see lose_patience
    struct join *parent;
    struct frame *owned;        // frame that ends here
    struct join *next, **link;  // all joins of the warp
};

// ENTERS: goes on at a block where it may first have to wait for a join.
enum path_state { PATH_RUNS, PATH_ENTERS, PATH_AT_WARP_SYNC, PATH_AT_BARRIER };

// Lanes of a warp that are at the same place. A warp's paths are disjoint.
struct path {
    uint32_t mask;
    uint32_t block; // basic block to run next; while waiting, that of the instruction it waits at
    enum path_state state;
    struct frame *frame;
    struct join *join;
    const struct insn *waits_at;
};

// Clocks of the race checker (race.h); kept here so that an access costs no look-up.
struct warp_clock {
    uint32_t now;        // time of the warp; every record carries it
    uint32_t lane_floor; // what lanes of this warp did before is ordered before what its lanes do now
    uint32_t *lanes;     // [32][32] latest time of lane m that lane l knows; NULL: lane_floor says it all
    uint32_t *warps;     // [32] latest time of each warp that this warp knows; NULL: the block's floor says it all
    uint32_t dirty;      // lanes with global stores that no fence has followed
};

struct warp {
    uint8_t *bank[2]; // current registers and constants
    uint32_t mask;    // active lanes
    int32_t lanes[LANES] __attribute__((aligned(64))); // the mask as a row of 0 and -1; valid while not all lanes
    struct path *path; // the running one
    const struct basic_block *blocks; // of the function that it is in
    uint8_t *regs;
    uint8_t *local;    // LANES * local_stride bytes
    uint32_t index;    // of the warp in its block
    uint32_t alive;    // lanes that have not exited
    uint32_t first;    // lanes the warp started with
    bool switched;     // the path stopped running: choose another one
    bool at_barrier;   // all its lanes wait for other warps
    bool arrived;      // all its lanes came to a barrier in this turn
    int64_t budget;    // instructions until others get a turn
    uint32_t spins;    // looks at words in this turn: what spins are made of
    bool spinning;     // the turn before was made of such
    struct block *block;
    struct path paths[LANES];
    uint32_t path_count;
    struct join *joins;
    struct warp_clock clock;
    struct async_queue *async; // async.c; NULL until a copy is issued
    uint32_t tid[3][LANES] __attribute__((aligned(64)));
};

struct barrier {
    uint32_t warps;    // that take part, those that only arrived included
    uint32_t waiting;  // warps that wait
    uint32_t threads;  // arrived, whole warps counted as 32
    uint32_t expected; // threads; 0: all of the block
    uint32_t true_count, lane_count; // bar.red: lanes whose predicate held, lanes in all
};

struct block {
    struct launch *launch;
    struct worker *worker;
    uint64_t number; // x + nctaid.x * (y + nctaid.y * z)
    uint32_t id[3];
    uint32_t warp_count, thread_count;
    uint32_t live;     // mask of warps with lanes that have not exited
    uint32_t runnable; // mask of warps that do not wait
    uint32_t exited;   // threads
    uint8_t *shared;
    struct warp *warps;
    struct barrier barriers[BARRIERS];
    struct frame kernel;     // of all its warps
    struct block_race *race; // the race checker's
    uint8_t *shared_init;    // a byte per byte: has it been written
    uint32_t *atomic_warps;  // the counters': which warps have made an atomic at each shared word; NULL: none has
};

// What one instruction on memory has done, as counters see it.
struct memory_count {
    uint64_t requests, lanes, sectors, sectors_ideal, wavefronts, wavefronts_ideal, same, warps;
    int8_t joins; // of a shared atomic: 1 if it joins lanes at one word, -1 if not, 0: not yet looked at
};

// A host thread's part of a launch.
struct worker {
    struct launch *launch;
    uint32_t index;
    struct block_count {
        uint64_t warps, lanes;
    } *runs; // per basic block
    uint64_t *diverged;                  // per instruction: branches that went both ways
    uint64_t *guard_lanes;               // per instruction: lanes that a guard let through
    struct memory_count *memory;         // per instruction
    uint64_t barriers, blocks, warps;
    uint64_t random;
    uint32_t clock; // of the race checker; only rises
    struct block_store *store;
} __attribute__((aligned(APART)));

struct launch {
    const struct code *code;
    struct module *module;
    uint32_t grid[3], dim[3];
    uint64_t block_count;
    uint32_t warps_per_block, threads_per_block;
    uint32_t static_shared, dynamic_shared;
    uint32_t reg_stride, local_stride; // bytes per warp, per thread
    uint32_t call_depth;
    uint32_t reg_level; // bytes per level of calls: every function has its own, as lanes may be in several
    const uint8_t *params;
    uint64_t workspace; // of a cooperative launch: zeroed device memory for the grid's barrier; 0: none
    uint64_t number; // of this launch in the program, from 1
    bool cooperative;
    enum schedule schedule;
    bool follow_orders; // some of the code has fences
    uint32_t reserved_shared; // bytes behind the others that CUDA keeps for itself, if some of the code uses them
    bool sub_words;     // some of the code has shared accesses narrower than a word
    int device;
    const struct observer *observers[MAX_OBSERVERS];
    uint32_t observer_count;
    atomic_int failed; // a cudaError_t: every worker stops
    uint32_t worker_count; // at most: a short launch is over before the others start
    struct crew *crew;     // its host threads
    struct race_launch *race;
    struct operation *operation; // what it is in its stream (stream_order.h); NULL: alone
    atomic_uint_fast64_t next_block __attribute__((aligned(APART)));
    atomic_uint_fast64_t heartbeat; // rises when a block gets anywhere
};

// Where the reserved part of a block's shared memory starts, and bytes of all of it.
static inline uint32_t reserved_offset(const struct launch *launch)
{
    return (launch->static_shared + launch->dynamic_shared + 15) & ~15u;
}

static inline uint32_t shared_size(const struct launch *launch)
{
    return launch->reserved_shared ? reserved_offset(launch) + launch->reserved_shared
                                   : launch->static_shared + launch->dynamic_shared;
}

// Whether a shared access is to the reserved part, whose words are no business of the checks.
static inline bool is_reserved(const struct launch *launch, const struct access *a)
{
    return launch->reserved_shared && a->space == PTX_SHARED && a->low >= reserved_offset(launch);
}

// ---- rows ---------------------------------------------------------------------------------------------------------

static inline void *row(const struct warp *w, uint32_t place)
{
    return w->bank[place >> 31] + (place & 0x7fffffffu);
}

// The same where it cannot be a constant: a destination, a predicate.
static inline void *register_row(const struct warp *w, uint32_t place)
{
    return w->bank[0] + place;
}

static inline uint32_t predicate(const struct warp *w, uint32_t place)
{
    return *(const uint32_t *)row(w, place);
}

// The lanes at work that the instruction's guard lets through.
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

#endif
