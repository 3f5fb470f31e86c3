// Compiled code (native/native.h) in a launch.
#ifndef SIMT_COMPILED_H
#define SIMT_COMPILED_H

#include "exec/machine.h"

// Where a launch finds compiled code of its kernel; NULL: it is to be interpreted, because something observes what its
// instructions do, or SIMT_COMPILE says so.
native_slot *compiled_slot(const struct launch *launch);

// What compiled code sees of the block's warps.
void compiled_open(struct block *b);

// Its worker has run n instructions of warps more.
void compiled_tell(struct worker *k);
static inline void compiled_warm(struct worker *k, uint64_t n)
{
    if (!k->launch->compiled)
        return;
    k->interpreted += n;
    if (k->interpreted >> 20)
        compiled_tell(k);
}

#endif
