// Which addresses a launch may touch, and why others are wrong.
#pragma once

#include "exec/machine.h"
#include "memory/memory.h"

// Whether the address lies in memory of another device, to which the launch's device has no peer access.
bool is_inaccessible(const struct launch *launch, uint64_t address);

// Whether the launch may touch all these bytes: they lie in one live allocation.
static inline bool launch_holds(const struct launch *launch, uint64_t address, uint64_t size)
{
    return memory_holds(address, size) && (!launch->inaccessible || !is_inaccessible(launch, address));
}

const char *space_name(enum ptx_space space); // "__shared__"

// Writes to out why an access of size bytes at the address is wrong.
void describe_global(const struct launch *launch, uint64_t address, uint32_t size, char *out, size_t out_size);

// Describes an address in local or parameter memory of size bytes; an index below 0 wraps around.
void describe_window(uint64_t address, uint32_t size, char *out, size_t out_size);

// size: of the access
void describe_shared(const struct launch *launch, uint64_t address, uint32_t size, char *out, size_t out_size);
