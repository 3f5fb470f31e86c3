// Loads and stores that no observer sees: the fast path of runs without checks and counters.
#pragma once

#include "exec/machine.h"

// Fast versions of op_load and op_store. False: nothing was done, because an observer is on, the access synchronizes,
// an address is wrong, or the addresses do not belong to one variable in a known space.
bool direct_load(struct warp *w, const struct insn *in);
bool direct_store(struct warp *w, const struct insn *in);
