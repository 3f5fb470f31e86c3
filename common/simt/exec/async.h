// Asynchronous copies from global to shared memory (cp.async), and mbarriers.
#pragma once

#include "exec/machine.h"

// Drop a warp's copies in flight: at the start of a block, and when its memory is freed.
void async_forget(struct warp *w);
void async_free(struct warp *w);

// Forgets which mbarriers the block has initialized.
void mbarriers_forget(struct block *b);

// An mbarrier in shared memory: arrivals still pending in this phase, and expected in each phase.
struct mbarrier_count {
    uint32_t pending, expected;
    int64_t bytes; // of transactions, still pending; below 0: they arrived before they were expected
};
struct mbarrier_count mbarrier_count(const uint8_t *at);

// Lane l's instruction has delivered this many bytes.
void mbarrier_complete(struct warp *w, const struct insn *in, uint32_t l, uint8_t *at, uint32_t bytes);
bool mbarrier_same_phase(uint64_t a, uint64_t b); // of two words of one mbarrier

// ---- bulk.c
// A test found the phase of b's mbarrier at this offset incomplete: copies deliver bytes until it is complete.
void bulk_serve(struct block *b, uint64_t offset);

// A test has found that phase complete: its transactions have ended.
void bulk_passed(struct block *b, uint64_t offset);
