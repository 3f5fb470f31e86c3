// Asynchronous work in a trace: what is in flight, from when to when.
#pragma once

#include <stdio.h>

#include "exec/bulk.h"
#include "trace/recording.h"

// A step of a bulk copy, during event `current`; NO_EVENT: between instructions of traced blocks.
void flight_of_copy(struct recording *r, const struct bulk *c, enum bulk_step step, uint32_t current);

// The warp has issued the warpgroup's product with this number, from 0.
void flight_of_product(struct recording *r, uint32_t warp, uint32_t number, uint32_t current);

// The warp, in the block with this index, has waited for the products up to this number.
void flight_products_done(struct recording *r, uint32_t block, uint32_t warp, uint32_t number, uint32_t current);

// A list of objects, as docs/trace.md describes them.
void flights_write(const struct recording *r, FILE *to);
