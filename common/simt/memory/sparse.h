// Sparse allocations: large ones of a program whose launches are sampled. They take memory only where they are touched,
// and lie so far apart that an index that wraps around rarely meets another one.
#pragma once

#include "memory/arena.h"

// Both under the arena's lock. The offset in the arena of size bytes of zeros, which occupy *span bytes; 0: the host
// has no more memory. index: in arena.records.
uint64_t sparse_open(uint64_t size, uint64_t *span, uint32_t index);
void sparse_close(const struct allocation *a);
