// Kernels that cannot end, reported long before anybody loses patience.
#ifndef SIMT_ENDLESS_H
#define SIMT_ENDLESS_H

#include "exec/machine.h"

struct watch; // on one block of a worker; NULL: on none yet

void endless_close(struct watch *watch); // NULL: nothing

// Reports a thread of the running blocks from whose place no way leads out of the kernel; true: there was one.
bool endless_scan(struct block *const *blocks, const bool *running, uint32_t count);

// Looks at the running ones of a worker's blocks, none of which has ended for a while, and runs them on for a bit.
// Reports a thread that cannot end, or a block. full: the worker starts no more blocks until one ends. True: the whole
// grid stands still.
bool endless_look(struct watch **watch, struct block *const *blocks, const bool *running, uint32_t count, bool full);

// After a turn of the worker's blocks: reports the one that is marked if it is back where it was.
void endless_compare(struct watch *watch);

#define ALL_STUCK "all threads that are left wait, or run a loop in which nothing changes"

#endif
