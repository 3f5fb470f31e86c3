// The barriers of a block, as barrier instructions name them.
#pragma once

#include "decode/forms.h"
#include "exec/machine.h"

// Whether a barrier instruction has a result: bar.red.
static inline bool barrier_gives(const struct insn *in)
{
    return (in->sub & 15) >= BARRIER_AND;
}

// Writes the result of bar.red for the running path.
void barrier_result(struct warp *w, const struct insn *in);

// Whether all threads that arrived belong to one warp of a larger block: as at a __syncwarp, no warp waits for another.
static inline bool barrier_of_one_warp(const struct block *b, const struct barrier *bar)
{
    return bar->expected && bar->expected < b->thread_count && !(bar->warps & (bar->warps - 1));
}

// The barrier that instruction `in` names, and how many threads it waits for; 0: all.
struct barrier *barrier_of(struct warp *w, const struct insn *in, uint32_t *threads);
