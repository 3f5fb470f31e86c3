// Sampled launches: of a launch too large to be executed in full, the first, the last and some random blocks.
#pragma once

#include "exec/machine.h"

// The settings have changed: later launches are sampled, or no longer are.
void sample_begin(void);

// Chooses the blocks of the launch that are executed: run_count of them, listed in sampled unless all run. The words
// that skipped blocks would have written are unknown, and a block that does not end may be waiting for one of them.
void sample_blocks(struct launch *launch);
void sample_free(struct launch *launch);

// Whether an atomic takes this word's first ticket, in a launch whose tickets begin at first_ticket. Called under the
// word's lock.
bool sample_first_ticket(struct launch *launch, const void *word);

// Called when a block of a sampled launch has ended a time slice in this way. A block that has used its share is
// stopped without a finding: it may be waiting for a skipped block, or doing the work of thousands.
enum slice_end sample_slice(struct block *b, enum slice_end slice);

// Whether a block of a sampled launch is in a long loop. The rest of the loop repeats the same lines on other pages,
// which costs more than it can detect.
static inline bool sample_loops_long(const struct block *b)
{
    const uint64_t instructions = UINT64_C(1) << 14;
    return b->launch->partial && b->issued >= instructions;
}
