// Words of global memory through which blocks communicate: when a write there becomes visible to others. And the
// atomics on each line.
#pragma once

#include "estimate/state.h"

// An access to global memory; it adds to the instruction's latency.
void flags_add(struct running *r, struct warp *w, const struct access *a, const struct cost *c);

// A failed poll takes no extra time: the warp is back where it began to poll.
void flags_forget_failed_poll(const struct warp *w, struct warp_time *t, const struct insn *in, const struct cost *c);

// When the block continues: never, while what it polls stays as it is.
double flags_ready_time(const struct block *b);
void flags_over(void); // the launch has ended
