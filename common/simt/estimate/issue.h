// A scoreboard: when a warp issues its instructions, and when their results are ready.
#pragma once

#include "estimate/state.h"

void issue_enter(struct warp_time *t); // a basic block begins

// The instruction issues; returns when. ready: by register of its function.
double issue_next(struct warp_time *t, const struct cost *c, const double *ready);

// Its result is available a latency later. o: the PTX instruction; why: by register, like ready, the cause of a
// wait for it.
void issue_finish(const struct running *r, struct warp_time *t, const struct insn *in, const struct origin *o,
                  const struct cost *c, double *ready, uint8_t *why);
