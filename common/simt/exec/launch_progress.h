// Progress of a long launch: launch.c restarts its timeout when the launch stores in a page of global memory for the
// first time.
#pragma once

#include "exec/machine.h"
#include "memory/memory.h"

// Notes a store to this address.
static inline void note_reach(const struct warp *w, int space, uint64_t address)
{
    const struct launch *launch = w->block->launch;
    if (space == PTX_GLOBAL && atomic_load_explicit(&launch->lasting, memory_order_relaxed) &&
        memory_reaches(address, (uint32_t)launch->number))
        count_one(&w->block->worker->reached);
}
