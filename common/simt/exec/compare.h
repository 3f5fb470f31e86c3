// What comparisons do beyond setting one predicate.
#pragma once

#include "exec/machine.h"

// Completes comparison `in`, whose sub is an enum combine (decode/forms.h); bits: its result, lane by lane.
void finish_compare(struct warp *w, const struct insn *in, uint32_t bits);
