// Shuffles, and how lanes synchronize for any instruction of the whole warp.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decode/forms.h"
#include "exec/machine.h"

// The lane that lane l reads in a shuffle with operands b and c; *inside: whether it lies within
// the segment.
uint32_t source_lane(enum shuffle mode, uint32_t l, uint32_t b, uint32_t c, bool *inside);

// Waits for all lanes of the warp, as tensor core instructions do. True: w->mask is now the lanes that continue
// together, and the caller calls finish_meeting. False: the running path waits.
bool meet_warp(struct warp *w, const struct insn *in);

// The lanes that have arrived wait for other warps, in this state.
void wait_after_meeting(struct warp *w, const struct insn *in, enum path_state state);

// The lanes that have arrived continue after the instruction, as one path if they owe their lanes to the same join.
void finish_meeting(struct warp *w, const struct insn *in);
