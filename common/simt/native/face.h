// What compiled code sees of its warp, and the machine of compiled code. Every generated file begins with this header,
// so it stands on nothing of the machine.
#ifndef SIMT_NATIVE_FACE_H
#define SIMT_NATIVE_FACE_H

#include <stdint.h>

#define NATIVE_LANES 32
#define NATIVE_ALL 0xffffffffu
// What compiled code returns: the number of a basic block, and with it
#define NATIVE_CONTROL 0x80000000u // its last instruction is still to be run
#define NATIVE_BARRIER 0x40000000u // which is a barrier of the whole block, without a guard
#define NATIVE_BLOCK 0x3fffffffu

// An allocation that an access was found to lie in; size 0: none.
struct native_span {
    uint64_t base, size;
};

// How often a basic block has run, and with how many lanes.
struct native_count {
    uint64_t warps, lanes;
};

// What compiled code leaves to the machine.
struct native_calls {
    // Runs instruction `insn` of basic block `block` for the lanes of mask.
    void (*run)(void *warp, uint32_t block, uint32_t insn, uint32_t mask);
    // Whether size bytes of global memory lie in one live allocation, which is then left in *span.
    int (*holds)(uint64_t address, uint64_t size, struct native_span *span);
};

// Of one warp, filled when its block gets its memory.
struct native_warp {
    uint8_t *registers, *shared;
    const uint8_t *constants;
    const uint8_t *params;
    const uint8_t *owner;                               // of bytes of static shared memory (launch.shared_owner)
    uint64_t shared_size, dynamic_start, shared_extent; // bytes; see shared_holds
    int64_t *budget;
    uint64_t *issued;
    struct native_count *runs; // of the function's basic blocks
    uint64_t *diverged, *guard_lanes;
    uint32_t *pending; // of the function's basic blocks: lanes on their way to them, 0 between calls
    const struct native_calls *calls;
    void *warp;
    const uint32_t *tid[3];
    const uint32_t *block, *dim, *grid; // three each: the block's place, sizes of block and grid
};

// Runs all 32 lanes of a warp from basic block `block` on, until they have used up their budget or do something that
// is left to the machine. Returns the block to go on with, maybe with NATIVE_CONTROL and NATIVE_BARRIER.
typedef uint32_t native_function(const struct native_warp *s, uint32_t block);

#endif
