// Kernels that cannot end, reported long before anybody loses patience.
#pragma once

#include "exec/machine.h"

struct watch; // on one block of a worker; NULL: on none yet

void endless_close(struct watch *watch); // NULL: nothing

// Reports a thread of the running blocks from whose place no way leads out of the kernel; true: there was one.
bool endless_scan(struct block *const *blocks, const bool *running, uint32_t count);

// Checks a worker's running blocks (count > 0), none of which has ended for a while, and runs them a little further.
// Reports a thread or a block that cannot end. True: the whole grid is stuck.
bool endless_check(struct watch **watch, struct block *const *blocks, const bool *running, uint32_t count);

// A worker is about to start a block; it has ended its last one, and gets no further one; it is not called yet.
void endless_starts_block(struct worker *k);
void endless_no_blocks(struct worker *k);
void endless_not_called(struct worker *k);

// After a time slice of the worker's blocks: reports the marked one if it has returned to its state.
void endless_compare(struct watch *watch);

#define ALL_STUCK "all threads that are left wait, or run a loop in which nothing changes"
