// The traffic of memory accesses in the caches and device memory.
#pragma once

#include "estimate/state.h"

// Begins a launch. Each multiprocessor holds `held` blocks at a time, which share its L1 cache.
void traffic_open(const struct launch *l, const struct gpu *gpu, uint32_t held);
void traffic_block(struct block_time *b); // begins a block
void traffic_cold(void); // clears the L2 cache

// Adds an access's traffic to the totals, its passes and its latency to the instruction.
void traffic_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c);

// The same for an access to local memory.
void local_add(struct running *r, const struct warp *w, const struct access *a);

// The same for a load from constant memory whose address is known only at run time.
void constant_add(struct running *r, struct warp *w, const struct access *a);
