// Words of global memory through which blocks communicate: when writes become visible to others. Also the atomics on
// each line.
#pragma once

#include "estimate/state.h"

// Handles an access to global memory; adds to the instruction's latency.
void flags_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c);

// After a failed poll: it takes no extra time, and the warp's clock returns to where it began to poll.
void flags_forget_failed_poll(const struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c);

// When the block continues: never, while the words that it polls do not change.
double flags_ready_time(const struct block *b);
void flags_over(void); // the launch has ended
