// What accesses to memory ask of the caches and of device memory.
#pragma once

#include "estimate/state.h"

// A launch begins: its blocks, of which each multiprocessor holds so many at a time, share the L1 caches.
void traffic_open(const struct launch *l, const struct gpu *gpu, uint32_t held);
void traffic_block(struct block_time *b); // begins
void traffic_cold(void); // clears the L2 cache

// Adds an access's traffic to the totals, its passes and its latency to the instruction.
void traffic_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c);

// The same of an access to local memory.
void local_add(struct running *r, const struct warp *w, const struct access *a);

// The same of a load from constant memory whose address is known at run time only.
void constant_add(struct running *r, struct warp *w, const struct access *a);
