// How far sampled launches reach: which bytes of global memory each of their blocks touches (simt_reach).
#pragma once

#include "exec/machine.h"
#include "simt.h"

// The observer of sampled launches.
extern const struct observer reach_observer;

// See simt_reach (simt.h). Forgets the recorded ranges.
int reach_read(const void *p, uint64_t bytes, int stores, struct simt_reach *out, int max);
void reach_reset(void);

// See simt_nonzero (simt.h).
const void *reach_nonzero(const void *p, uint64_t bytes, int floats, const struct simt_range *known, int count);
