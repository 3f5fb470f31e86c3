// Sampled launches: of a launch too large to be executed in full, the first, the last and some random blocks.
#pragma once

#include "exec/machine.h"

// The settings have changed: launches are sampled from here on, or no longer.
void sample_begin(void);

// Chooses the blocks of the launch that are executed: run_count of them, sampled if not all. What the others would have
// written is unknown then, and a block that does not end may wait for one of them.
void sample_blocks(struct launch *launch);
void sample_free(struct launch *launch);

// Whether an atomic takes the first ticket of this word in a launch whose tickets begin at first_ticket. Called under
// the lock of the word.
bool sample_first_ticket(struct launch *launch, const void *word);

// The time slice of a block of a sampled launch has ended this way. A block that has used its share ends there, without
// a finding: it may wait for a block that is not executed, or do the work of thousands.
enum slice_end sample_slice(struct block *b, enum slice_end slice);

// Whether a block of a sampled launch is in a long loop. The rest of it repeats the same lines on other pages, which
// costs more than it can detect.
static inline bool sample_loops_long(const struct block *b)
{
    const uint64_t instructions = UINT64_C(1) << 14;
    return b->launch->partial && b->issued >= instructions;
}
