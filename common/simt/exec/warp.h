// The paths of a warp: how lanes diverge, reconverge, wait for one another and exit.
#pragma once

#include "exec/machine.h"

// Prepares w to run its kernel from the start with the lanes of mask.
void warp_start(struct warp *w, uint32_t mask, struct frame *kernel);

// Runs one time slice: until the lanes of w all wait, have all exited, or have used up their budget.
void warp_run(struct warp *w);

// The running path continues at basic block `block`, unless it has to wait there for other lanes; NONE: it leaves.
void path_enter_join(struct warp *w, uint32_t block);
static inline void path_enter(struct warp *w, uint32_t block)
{
    if (w->path->join || block == NONE)
        path_enter_join(w, block);
    else
        w->path->block = block;
}

// The lanes of `taken` continue at basic block `target`, the other lanes of the running path at `otherwise`.
void path_diverge(struct warp *w, uint32_t taken, uint32_t target, uint32_t otherwise);

// Splits the lanes of mask off the running path and returns their new path.
struct path *path_split(struct warp *w, uint32_t mask);

// Applies the guard of a control instruction: lanes that it disables continue after the instruction. False: it disables
// all.
bool path_guard(struct warp *w, const struct insn *in);

// The running path stops; it tries again when others have run.
static inline void path_wait(struct warp *w, const struct insn *in, enum path_state state)
{
    w->path->state = state;
    w->path->waits_at = in;
    w->switched = true;
}

// The lanes of the running path exit, or return from their function.
void path_exit(struct warp *w);
void path_return(struct warp *w);

// The running path calls `code`, and continues after `in` when its lanes have returned.
void path_call(struct warp *w, const struct insn *in, const struct code *code);

// Makes p the running path.
void path_select(struct warp *w, struct path *p);

// warp_next selects the runnable path that was split off last and returns its basic block; NULL: all paths wait.
// warp_step runs it.
const struct basic_block *warp_next(struct warp *w);
void warp_step(struct warp *w);

// The path that warp_next chooses yields: the warp's other paths run first.
void warp_rotate(struct warp *w);

// All lanes that wait at a block barrier continue.
void warp_pass_barrier(struct warp *w);

// All lanes whose paths have this state, and so wait for other warps, continue. Returns them.
uint32_t warp_pass(struct warp *w, enum path_state state);

// Releases all lanes that wait at joins, as separate paths. False: none waited.
bool warp_release_joins(struct warp *w);

// The first warp of w's warpgroup that keeps w waiting: it has not issued all the products (wgmma.c). NULL: none does.
const struct warp *products_lack(const struct warp *w);

// What w wants of the block's spare registers (warpgroup.c); *has: what it has. Both are of a thread.
uint32_t registers_taken(const struct warp *w, uint32_t *has);

// Whether a path can continue now.
static inline bool path_runnable(const struct path *p)
{
    return p->state <= PATH_ENTERS;
}

// Removes paths without lanes; the running path remains the running path.
void warp_drop_empty_paths(struct warp *w);

// Frees what w still holds when a launch ends early.
void warp_abandon(struct warp *w);

static inline const struct basic_block *current_block(const struct warp *w)
{
    return &w->blocks[w->path->block];
}

// The local memory of one lane, from the beginning of frame f.
static inline uint8_t *frame_bytes(const struct warp *w, const struct frame *f, uint32_t lane)
{
    return w->local + (uint64_t)lane * w->block->launch->local_stride + f->local_base;
}

// What a strong access costs of a time slice, in instructions, so that other warps run sooner.
#define STRONG_COST 1024

// Called for a strong access or a sleep; polls: it polls.
static inline void warp_spins(struct warp *w, bool polls)
{
    w->budget -= STRONG_COST;
    w->spins += polls;
}
