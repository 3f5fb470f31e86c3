// Loads and stores that no observer sees: the fast path of runs without checks and counters.
#pragma once

#include "exec/machine.h"

// What op_load and op_store do, at less cost. False: nothing was done, because an observer is on, or the access
// synchronizes, or an address is wrong, or not of one variable and known space.
bool direct_load(struct warp *w, const struct insn *in);
bool direct_store(struct warp *w, const struct insn *in);
