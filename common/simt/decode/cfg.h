// The control-flow graph of one PTX function.
#pragma once

#include "ptx/ptx.h"

// A basic block: instructions first .. last - 1. An instruction at which lanes may wait for one another (a barrier, a
// shuffle) or diverge (an indirect call) is a separate block.
struct cfg_block {
    uint32_t first, last;
    uint32_t *next; // successors
    uint32_t next_count;
    bool exits;              // lanes may leave the function here
    bool endless;            // no path from here leaves the function; a call counts as leaving it
    uint32_t post_dominator; // immediate; UINT32_MAX: the function's exit, or none
};

struct cfg {
    struct cfg_block *blocks;
    uint32_t count;
    uint32_t *block_of; // per instruction
};

// Builds the graph of f, a function of m. For a malformed function (a branch without a target) returns false with a
// line in error.
bool cfg_build(struct cfg *cfg, const struct ptx_module *m, const struct ptx_function *f, char *error,
               size_t error_size);
void cfg_free(struct cfg *cfg);

// Marks the blocks reachable from block `from` without passing block `end`. reached: a flag per block.
void cfg_reach(const struct cfg *cfg, uint32_t from, uint32_t end, bool *reached);

// Sets reached to the blocks that the branch at the end of b controls: those on only one of its paths.
void cfg_mark_decided(const struct cfg *cfg, uint32_t b, bool *reached);

// Whether the instruction itself decides where its lanes continue.
bool ends_block(const struct ptx_instr *i);
