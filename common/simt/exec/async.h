// Copies from global to shared memory that go on beside the program (cp.async), and mbarriers.
#ifndef SIMT_ASYNC_H
#define SIMT_ASYNC_H

#include "exec/machine.h"

// What a warp has on its way is given up: at the start of a block, when its memory goes away.
void async_forget(struct warp *w);
void async_free(struct warp *w);

// An mbarrier of shared memory: arrivals that its phase waits for, of how many.
struct mbarrier_count {
    uint32_t pending, expected;
    int64_t bytes; // of transactions, still to come; below 0: they came before they were expected
};
struct mbarrier_count mbarrier_count(const uint8_t *at);

#endif
