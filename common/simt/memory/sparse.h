// Sparse allocations: large ones of a program whose launches are sampled. They take memory only where they are touched,
// and lie so far apart that an index that wraps around rarely hits another allocation.
#pragma once

#include "memory/arena.h"

// Call both under the arena's lock. sparse_open returns the arena offset of size bytes of zeros, which occupy *span
// bytes; 0: the host has no more memory. index: in arena.records.
uint64_t sparse_open(uint64_t size, uint64_t *span, uint32_t index);
void sparse_close(const struct allocation *a);
