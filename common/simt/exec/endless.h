// Detects kernels that cannot end, long before the timeout.
#pragma once

#include "exec/machine.h"

struct watch; // watches one block of a worker; NULL: none yet

void endless_close(struct watch *watch); // NULL: does nothing

// Reports a thread of the running blocks if no path leads from its instruction to the kernel's exit; true: there was
// one.
bool endless_scan(struct block *const *blocks, const bool *running, uint32_t count);

// Checks a worker's running blocks (count > 0), none of which has ended for a while, and runs them a little further.
// Reports a thread or a block that cannot end. True: the whole grid is stuck.
bool endless_check(struct watch **watch, struct block *const *blocks, const bool *running, uint32_t count);

// Worker k is about to start a block; has ended its last one and gets no more; has not been called yet.
void endless_starts_block(struct worker *k);
void endless_no_blocks(struct worker *k);
void endless_not_called(struct worker *k);

// After a time slice of the worker's blocks: reports the marked one if it has returned to its state.
void endless_compare(struct watch *watch);

#define ALL_STUCK "all remaining threads wait, or run a loop in which nothing changes"
