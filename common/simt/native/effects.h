// What an instruction reads and writes of its warp's registers.
#ifndef SIMT_NATIVE_EFFECTS_H
#define SIMT_NATIVE_EFFECTS_H

#include "decode/code.h"

#define MOST_USES 24
#define MOST_DEFS 8

// A row of registers, or with size 0 a predicate; size: bytes of a lane.
struct row_use {
    uint32_t place, size;
};

struct effects {
    bool known; // false: it may read and write everything
    uint32_t use_count, def_count;
    struct row_use use[MOST_USES], def[MOST_DEFS]; // sources in the order of the instruction's fields, then the rest
};

// The action (decode/opcodes.h) that an instruction runs, of a guarded one for the lanes that pass; NO_ACTION: none.
uint32_t action_of(const struct code *c, const struct insn *in);

// Whether its guard is obeyed for it: the instruction itself knows none.
bool is_guarded(const struct code *c, const struct insn *in);

// Where the guard and what is written in part are among what is read.
struct effects effects_of(const struct code *c, const struct insn *in);

// The blocks that may follow, in out: their number, at most `most`. -1: not known.
int successors(const struct code *c, const struct basic_block *b, uint32_t *out, int most);

// ---- live.c: which registers are read before they are written

struct liveness {
    uint32_t words; // of a set: a bit for every 4 bytes of registers
    uint64_t *in;   // by block
};
void live_open(struct liveness *l, const struct code *c);
void live_close(struct liveness *l);
// Before the last instruction of a block, into set, which has l->words.
void live_at_end(const struct liveness *l, const struct code *c, uint32_t block, uint64_t *set);
bool is_live(const uint64_t *set, struct row_use r);

#endif
