// Warpgroups: warps 4 n to 4 n + 3 of a block, which multiply matrices together (wgmma.c).
#pragma once

#include "decode/tensor.h"
#include "exec/machine.h"

#define GROUP_WARPS 4
#define GROUP_ROWS 64              // of A and D; 16 of each warp
#define MAX_LINES 256              // of B
#define LEFT_GROUPS 8              // wgmma.wait_group leaves less than this in flight
#define MAX_CHUNKS (2 * MAX_LINES) // of 16 bytes

// A factor in shared memory: the addresses of its 16-byte pieces.
struct operand {
    uint8_t layout;                 // enum tile_layout
    uint8_t shift;                  // enum tile_shift flags
    uint32_t at[MAX_CHUNKS], count; // count 0: the factor is in registers
    uint32_t low, high;             // of all of them
};

// One wgmma.mma_async of a warpgroup. Its factors are read once for all four warps, when the first of them needs
// its part of D.
struct product {
    const struct insn *in;
    const struct wgmma_form *form;
    uint64_t descriptor[2];
    struct operand operand[2];                      // A, B
    uint32_t a[GROUP_ROWS * 32], b[MAX_LINES * 32]; // bits of the elements, in lines along k
    uint32_t number;                                // its number among the warpgroup's products, from 0
    uint32_t left;                                  // number of warps that do not have their part yet
    bool taken;                                     // a and b have been read
    bool over;                                      // a warp has waited for it
    struct product *next;
};

// What a warp has in flight, in order: its part of a product, or a copy of a register that a product writes.
struct pending {
    struct product *product; // NULL: a copy
    const struct insn *in;
    uint32_t group;    // number of the group that it is in
    bool accumulates;  // scale-d
    bool done;         // it is complete, though no wait has covered it yet
    uint32_t from, to; // the copy's registers
    uint32_t followed; // number of the register that it writes
};

// A register that products use (decode/product_registers.h).
struct followed {
    uint32_t writes, reads; // products and copies in flight that write it, and that read it
    uint32_t product;       // instruction of the latest product
    uint32_t touched;       // 1 + the instruction that used it since the last wgmma.fence; 0: none has
    bool touch_writes;
};

struct group_warp {
    struct pending *pending;
    uint32_t count, capacity;
    uint32_t open;                   // number of the group that is being filled
    uint32_t issued;                 // products
    uint32_t committed[LEFT_GROUPS]; // products issued up to the end of each of the latest groups, by their numbers
    uint32_t before, needed;         // the groups before this one, which it waits for; their products. needed 0: none
    uint32_t registers;              // of a thread, since its last setmaxnreg; 0: as launched
    uint32_t wanted;                 // registers of a thread that it waits for; 0: it does not
    uint32_t steps;                  // instructions of the whole warpgroup
    bool fenced;     // has executed a wgmma.fence, or its absence has been reported
    struct followed *followed;
};

#define REMEMBERED 256

struct warpgroup {
    struct group_warp warp[GROUP_WARPS];
    struct product *products, *spare;       // products of which some warp lacks its part; freed ones, for reuse
    uint32_t step[REMEMBERED];              // the latest instructions of the whole warpgroup
    uint32_t steps, first_warp[REMEMBERED]; // the first warp at each step
    bool reported;                          // the finding that its warps disagree
};

// The warpgroup of w, and w's part of it. NULL: w's block has never had one.
static inline struct warpgroup *warpgroup_of(const struct warp *w)
{
    return w->block->groups ? &w->block->groups[w->index / GROUP_WARPS] : NULL;
}

static inline struct group_warp *group_warp_of(const struct warp *w)
{
    return &w->block->groups[w->index / GROUP_WARPS].warp[w->index % GROUP_WARPS];
}

void warpgroups_free(struct block *b); // at the start of a block, and when it is closed

// All lanes of w have reached an instruction of the whole warpgroup. False: w's block has no such warpgroup, and the
// launch has failed.
bool warpgroup_join(struct warp *w, const struct insn *in);

// All lanes of w have exited.
void warpgroup_exit(struct warp *w);

// Called when a product is about to use its registers: checks that a wgmma.fence has ordered them.
void warpgroup_check_fence(struct warp *w, const struct insn *in);

// Adds `more` (1 or -1) to the counts of registers that p has in flight.
void warpgroup_follow(struct warp *w, const struct pending *p, int more);

struct pending *warpgroup_add(struct warp *w); // appended to w's pending ones

// A product that w has in flight and that reads shared memory from low to high; NULL: none does.
const struct insn *product_reading(const struct warp *w, uint64_t low, uint64_t high);

// ---- wgmma.c

// Warps of w's warpgroup that wait for products continue once none lacks them: w has issued one, exited or been
// reported.
void products_resume(struct warp *w);

// ---- wgmma_operand.c

// Finds the product's factors from its descriptors. False: one leaves shared memory; the launch has failed.
bool product_find(struct warp *w, struct product *p);

// Notifies observers that the factors will be read, or have been read; and reads them.
void product_notify(struct warp *w, const struct product *p, enum async_part part);
void product_take(struct warp *w, struct product *p);
