// Decoded code: what the decoder makes of PTX and the warps run.
//
// A register is a row of 32 lanes (a predicate: one 32-bit mask). An instruction is a handler and the places of its
// rows; a row's place is a byte offset into one of two banks: the warp's registers or the code's constants. The decoder
// knows the handlers by their numbers alone (opcodes.h, enum action); the loader of a module supplies them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ptx/cubin.h"
#include "ptx/ptx.h"
#include "report/names.h"

#define LANES 32
#define NONE UINT32_MAX
#define BARRIERS 16 // named barriers of a block

// Generic addresses: global memory has its host address; the windows of the other spaces carry a tag.
#define TAG_SHARED (UINT64_C(1) << 56)
#define TAG_LOCAL (UINT64_C(1) << 57)
#define TAG_PARAM (UINT64_C(1) << 58)
#define TAG_CODE (UINT64_C(1) << 59) // function pointers: TAG_CODE + index of the function in its module
#define TAG_MASK (UINT64_C(0xff) << 56)

// An address in the shared memory of another block of the cluster: the bits above the offset hold its rank + 1.
// Without, it is the block's own.
#define RANK_SHIFT 24
#define RANK_MASK (UINT64_C(0xff) << RANK_SHIFT)
#define PEER_MASK (TAG_MASK | RANK_MASK)

struct warp;
struct insn;
typedef void handler(struct warp *w, const struct insn *in);

enum scope { SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_DEVICE, SCOPE_SYSTEM }; // cta, cluster, gpu, sys
enum fence_kind { FENCE_PLAIN, FENCE_SC, FENCE_OF_INIT };              // the last one orders only mbarrier.init

// What an instruction on memory promises to other threads.
enum order_flags {
    ORDER_VOLATILE = 1, // strong, but orders nothing within a warp
    ORDER_STRONG = 2,   // relaxed or more
    ORDER_ACQUIRE = 4,
    ORDER_RELEASE = 8,
    ORDER_CAS_START = 16, // a plain load that starts a compare-and-swap loop (cas_start.c)
    ORDER_READ_ONLY = 32, // a load that may hit in the incoherent read-only cache (ld.global.nc)
    ORDER_DATA = 64,      // a strong load that reads more than a flag (flag_load.c)
};

#define CONSTANT_BANK 0x80000000u     // in a place: the row is a constant
#define GUARD_NOT 0x40000000u         // in a guard: run where the predicate is false
#define ADDRESS_32 0x80               // in order: the address row has 32-bit lanes
#define SPACE_FRAME PTX_REG           // in space: parameters of calls, in the frame of a thread
#define SPACE_CLUSTER (PTX_PARAM + 1) // in space: shared memory of any block of the cluster

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
    uint8_t sub;           // further operands of the handler: atomic operation, shuffle mode, negations
    uint8_t align;         // atomic: of what the address must be a multiple if it begins a vector, else 0
    bool spins;            // a strong load or atomic whose result decides whether it runs again (flag_load.c)
    bool idle;             // a clock read that only affects how long a thread sleeps (idle_clock.c)
};

struct basic_block {
    const struct insn *first, *last; // the last instruction decides the successor
    uint32_t id;                     // number of this block in its module: index of counters
    uint32_t post_dominator;         // where diverged lanes reconverge; NONE: nowhere in this function
    uint32_t length;                 // PTX instructions in it
    bool endless;                    // no path leads from here to the function's exit
};

// Gaps separate shared variables, so that an access past one is detected; on a device the next variable follows
// directly. The gaps do not change any address's bank.
#define SHARED_GAP 1024
#define ALL_BANKS 128 // bytes; a gap is a multiple of it

struct shared_variable {
    const struct ptx_variable *ptx;
    uint32_t offset, size;
};

// One function, ready to run.
struct code {
    const char *name; // as in PTX
    const struct ptx_function *ptx;
    struct module *module;
    struct insn *insns;
    uint32_t insn_count;
    struct basic_block *blocks;
    uint32_t block_count;
    uint32_t *lists;                // places of rows of vectors, of call arguments
    uint8_t *constants;             // rows of immediates, 64-byte aligned
    uint32_t reg_bytes;             // of all register rows
    uint32_t reg_offset;            // offset of a function's rows within its call level
    uint32_t shared_bytes;          // size of static shared memory, as a device lays it out
    uint32_t shared_gaps;           // total bytes of gaps before the last variable
    struct shared_variable *shared; // shared_count of them; of a kernel: all that it can reach, sorted by offset
    uint32_t shared_count;
    uint8_t *shared_owner;                     // of a kernel: number of the variable, from 1, at each byte; 0: a gap
    uint32_t *shared_names, shared_name_count; // which of the module's shared variables it names itself
    uint32_t *shared_offsets;                  // of a kernel: offset of each of these that it can reach
    uint32_t dynamic_align;                    // alignment of the extern __shared__ arrays that it names
    const char *dynamic_names[2];              // extern __shared__ arrays that it names, the first two; NULL: none
    uint32_t local_bytes;                      // frame of one thread: parameters, then .local and .param variables
    uint32_t ret_offset;                       // offset of the first return parameter in the frame
    uint32_t param_bytes;                      // of a kernel's parameters
    uint32_t registers;                        // of a kernel's thread, as ptxas allocates them; 0: unknown
    uint32_t spilled;                          // bytes of a thread in local memory beyond what the PTX declares
    int *followed;                             // registers of asynchronous products (product_registers.h)
    uint32_t followed_count;                   // 0: products complete at once
    bool has_locals;                           // has .local variables
    bool calls;                                // contains a call
    bool sub_words;                            // has shared accesses narrower than a word
    bool reserved_shared;                      // reads where the reserved part of shared memory starts
    bool orders;                               // has fences, acquires or releases: the race checker must follow them
    bool strong;                               // has volatile or relaxed loads or stores, or stronger ones
    bool locks;                                // polls a compare-and-swap or an exchange
    bool bulk;                                 // has bulk copies
    bool cluster_barrier;                      // has barrier.cluster
};

// The origin of an instruction, by its number in the module.
struct origin {
    const struct code *code;
    const struct ptx_instr *ptx;
    uint32_t block; // number of its basic block
    uint16_t op;
    uint8_t size, order; // as in the insn that accesses memory; 0: none does
    bool spins;
    uint8_t address;   // load_dependence.h: 0: not computed yet
    bool result_read;  // whether another instruction reads its result
    bool maybe_unused; // a shared load or shuffle checked at the use of its value (maybe_unused.h)
};

struct module {
    struct ptx_module *ptx;
    struct cubin cubin;       // machine code of the same program, if any
    handler *const *handlers; // handlers by enum action
    struct code **codes;      // per function of ptx, NULL until needed
    uint64_t *var_address;    // per variable of ptx: address in device memory, shared offset for .shared
    struct origin *origins;
    uint32_t origin_count, origin_capacity;
    const struct ptx_variable **shared; // .shared variables outside kernels, in the order of their first mention
    uint32_t shared_count;
    uint32_t block_count; // basic blocks of all decoded code
};

static inline const struct ptx_instr *instr_of(const struct module *m, uint32_t id)
{
    return id < m->origin_count ? m->origins[id].ptx : NULL;
}

// The source line of instruction id of the module, as text (report/names.h).
static inline const char *origin_place(const struct module *m, uint32_t id)
{
    return instr_place(m->ptx, instr_of(m, id));
}

static inline uint32_t align_up(uint32_t at, uint32_t align)
{
    return align > 1 ? (at + align - 1) / align * align : at;
}

// Where parameter p begins after `at` bytes of other parameters.
static inline uint32_t param_start(uint32_t at, const struct ptx_variable *p)
{
    return align_up(at, p->align ? p->align : ptx_type_size(p->type));
}

// Where a kernel's static shared memory ends, gaps included.
static inline uint32_t shared_extent(const struct code *c)
{
    return c->shared_bytes + c->shared_gaps;
}

// ---- building it

// The location of a symbol.
struct symbol {
    enum ptx_space space; // PTX_REG: not found
    uint64_t value;       // address; shared offset; frame offset; parameter offset
    bool dynamic_shared;  // extern __shared__
    bool frame;           // value is relative to the frame's base
    bool function;
    bool module_shared; // declared outside kernels: value is its number; each kernel places it
};

// A symbol of the module: a variable or a function.
struct symbol module_symbol(struct module *m, const char *name);
// The number of a function, preferably of its definition; -1: there is none of that name.
int module_function(const struct module *m, const char *name);
uint32_t module_shared_id(struct module *m, const struct ptx_variable *v); // of a .shared variable outside kernels
uint32_t module_add_origin(struct module *m, const struct code *c, const struct ptx_instr *ptx, uint32_t block);
uint32_t code_place_shared(struct code *c, const struct ptx_variable *v); // appends it; returns its offset
void free_code(struct code *c);
