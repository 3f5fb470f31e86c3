// Sampled launches: of a launch too large to be executed in full, the first, the last and some random blocks.
#pragma once

#include "exec/machine.h"

// The settings have changed: later launches are sampled, or no longer are.
void sample_begin(void);

// Chooses the blocks of the launch that are executed: run_count of them, listed in sampled unless all run. The words
// that skipped blocks would have written are unknown, and a block that does not end may be waiting for one of them.
void sample_blocks(struct launch *launch);
void sample_free(struct launch *launch);

// A block of a sampled launch takes a ticket from this word by an atomic: how many tickets the skipped blocks have
// taken since the word was last read. That is first_ticket before the first ticket, if the launch has one. If not, all
// skipped blocks take one before the last executed block's first ticket, which so is the last of the grid: the launch
// leaves the word as a whole launch does that takes one ticket for each block. Called under the word's lock.
uint64_t sample_ticket(struct block *b, const struct insn *in, const void *word, uint64_t value);

// Before a launch: whether its blocks take tickets. If a whole launch gives those that this one gives, an address that
// depends on nothing else is known.
void sample_mark_tickets(struct launch *launch, bool tickets);

// At the end of a sampled launch: gives words of tickets the value that a whole launch would leave. Those that wrap
// around have come round to the value before it.
void sample_return_tickets(struct launch *launch);

// Called when a block of a sampled launch has ended a time slice in this way. A block that has used its share is
// stopped without a finding: it may be waiting for a skipped block, or doing the work of thousands. changes: the
// worker's when the slice began.
enum slice_end sample_slice(struct block *b, enum slice_end slice, uint64_t changes);

// Whether a block of a sampled launch is in a long loop. The rest of the loop repeats the same lines on other pages,
// which costs more than it can detect.
static inline bool sample_loops_long(const struct block *b)
{
    const uint64_t instructions = UINT64_C(1) << 14;
    return b->launch->partial && b->issued >= instructions;
}
