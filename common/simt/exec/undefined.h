// Uses of values that were never written.
#pragma once

#include "exec/machine.h"

// Reports a use of such values in these lanes; check: the instruction before it (RUN_check_defined).
void report_undefined(struct warp *w, const struct insn *check, uint32_t lanes);

// The lanes for which the store `in` has no defined data.
static inline uint32_t undefined_lanes(const struct warp *w, const struct insn *in)
{
    return w->undefined && w->undefined_at->imm == (int64_t)in->id ? w->undefined : 0;
}
