// One block: its warps in turn, its barriers, its memory.
#pragma once

#include "exec/machine.h"

// Memory for one block of the launch at a time: registers, local and shared memory.
struct block *block_open(struct worker *k);
void block_close(struct block *b);

// Starts block `number` of the grid in b's memory.
void block_start(struct block *b, uint64_t number);

// How a time slice of a block ended: the block is done (or the launch failed); it passed SLICE_BARRIERS barriers; or
// all its warps ran for a while and none reached a barrier or its end. In the last two cases other blocks should run.
enum slice_end { SLICE_DONE, SLICE_OVER, SLICE_SPINS };
#define SLICE_BARRIERS 16
enum slice_end block_run(struct block *b);

// Whether all its runnable warps only poll. Otherwise some compute, and may be far from a barrier.
bool block_polls(const struct block *b);

// Ends a block that has not finished.
void block_abandon(struct block *b);
