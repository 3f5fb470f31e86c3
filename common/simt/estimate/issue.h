// When a warp issues its instructions, and when their results are there: a scoreboard.
#pragma once

#include "estimate/state.h"

void issue_enter(struct warp_time *t); // a basic block begins

// The instruction issues; returns when. ready: by register of its function.
double issue_next(struct warp_time *t, const struct cost *c, const double *ready);

// Its result is there a latency later. o: what it was in PTX; why: by register, as ready, what a wait for it is.
void issue_finish(const struct running *r, struct warp_time *t, const struct insn *in, const struct origin *o,
                  const struct cost *c, double *ready, uint8_t *why);
