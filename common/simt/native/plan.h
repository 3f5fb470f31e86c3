// A basic block on its way to C: which instructions become one loop over the lanes, and where values live between them.
//
// A value is what one instruction writes to one register. Within its loop it is a variable of the lane; what is used
// elsewhere in the block is kept in an array; what later blocks read goes to the warp's registers.
#ifndef SIMT_NATIVE_PLAN_H
#define SIMT_NATIVE_PLAN_H

#include "native/effects.h"

struct value {
    uint32_t place, size; // size 0: a predicate
    uint32_t group;       // loop that makes it; NONE: a load
    uint32_t step;        // that makes it
    bool kept;            // as an array, for what is not in the loop
    bool bits;            // of a predicate: as a mask
    bool live;            // later blocks read it
};

// A row that is read: a value of the block, else what the registers or constants hold at `place`.
struct operand {
    int value; // -1: none
    uint32_t place, size;
};

enum step_kind {
    STEP_LANES, // in a loop over the lanes
    STEP_LOAD,
    STEP_STORE,
    STEP_CALL, // the machine's handler runs it
    STEP_NOTHING,
};

struct step {
    const struct insn *in;
    uint32_t action, index; // index: of the instruction in its function
    enum step_kind kind;
    uint32_t group; // of STEP_LANES: consecutive steps are one loop
    uint32_t calls; // before it, in its block
    struct effects e;
    struct operand use[MOST_USES], guard;
    int def[MOST_DEFS];                // values; -1: written by the machine's handler
    uint32_t first_flush, flush_count; // of STEP_CALL: values that it reads from the registers
};

struct plan {
    const struct code *code;
    uint32_t block;
    struct step *steps;
    uint32_t step_count; // without the last instruction
    struct step last;
    struct value *values;
    int value_count;
    int *flushes;
    uint32_t flush_count;
    bool mixed; // some register is read in another size than it was written in
};

// Where registers are mixed every step is a call.
void plan_open(struct plan *p, const struct code *c, const struct liveness *l, uint32_t block);
void plan_close(struct plan *p);

#endif
