// Branches, calls, exits. A branch moves the warp's path; it splits the path only if lanes disagree (warp.c).
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/warp.h"
#include "memory/memory.h"
#include "report/errors.h"

void op_goto(struct warp *w, const struct insn *in)
{
    path_enter(w, in->target);
}

void op_branch(struct warp *w, const struct insn *in)
{
    if (in->guard == NONE) {
        path_enter(w, in->target);
        return;
    }
    uint32_t taken = guard_lanes(w, in);
    if (taken == w->mask)
        path_enter(w, in->target);
    else if (!taken)
        path_enter(w, in->c);
    else {
        w->block->worker->diverged[in->id]++;
        path_diverge(w, taken, in->target, in->c);
    }
}

void op_branch_index(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    const uint32_t *blocks = w->path->frame->code->lists + in->target;
    const uint32_t *index = row(w, in->a);
    uint32_t first = index[__builtin_ctz(w->mask)], same = 0, most = (uint32_t)in->imm - 1;
    FOR_LANES(l, w->mask)
    same |= (uint32_t)(index[l] == first) << l;
    uint32_t target = blocks[first <= most ? first : most];
    if (same == w->mask) {
        path_enter(w, target);
        return;
    }
    // Lanes with the first lane's index branch; the others run this instruction again.
    w->block->worker->diverged[in->id]++;
    path_diverge(w, same, target, w->path->block);
}

void op_exit(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    w->ended_at = in->id;
    path_exit(w);
}

void op_ret(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    w->ended_at = in->id;
    path_return(w);
}

// Cooperative groups trap at a grid barrier in a launch that has none.
static bool wants_grid_barrier(const struct launch *launch)
{
    bool wants = false;
    for (uint32_t i = 0; i < launch->code->insn_count && !launch->cooperative; i++) {
        const struct insn *in = &launch->code->insns[i];
        bool special = in->run == op_special || in->guarded == op_special;
        wants |= special && (in->sub == SPECIAL_GRID_HI || in->sub == SPECIAL_GRID_LO);
    }
    return wants;
}

void op_trap(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Trap at %s by %s%s",
           origin_place(w->block->launch->module, in->id),
           thread_name(w->block, w->index * LANES + (uint32_t)__builtin_ctz(w->mask)),
           wants_grid_barrier(w->block->launch)
               ? ": a barrier of the grid needs a cooperative launch, cudaLaunchCooperativeKernel"
           : in->sub ? ": nvcc replaced code that has no meaning, "
                       "such as an atomic operation on a variable that is not __shared__"
                     : "");
    fail_launch(w->block->launch, CUDA_ERROR_LAUNCH_FAILURE);
    path_exit(w);
}

// ---- calls

// Copies the arguments into the callee's frame.
static void pass_arguments(struct warp *w, const struct insn *in, const struct frame *from, const struct frame *to)
{
    const struct ptx_function *f = to->code->ptx;
    uint32_t rets = (uint32_t)(in->imm >> 32), n = (uint32_t)in->imm, at = 0;
    const uint32_t *offsets = from->code->lists + in->target + rets;
    for (uint32_t k = 0; k < n && k < (uint32_t)f->param_count; k++) {
        at = param_start(at, &f->params[k]);
        FOR_LANES(l, w->mask)
        memcpy(frame_bytes(w, to, l) + at, frame_bytes(w, from, l) + offsets[k], f->params[k].size);
        at += (uint32_t)f->params[k].size;
    }
}

static void call(struct warp *w, const struct insn *in, const struct code *code)
{
    struct frame *caller = w->path->frame;
    if (caller->depth + 1 >= w->block->launch->call_depth) {
        report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Stack overflow at %s: %u nested calls",
               origin_place(w->block->launch->module, in->id), caller->depth + 1);
        fail_launch(w->block->launch, CUDA_ERROR_LAUNCH_FAILURE);
        path_exit(w);
        return;
    }
    path_call(w, in, code);
    pass_arguments(w, in, caller, w->path->frame);
    path_enter(w, code->block_count ? 0 : NONE);
}

void op_call(struct warp *w, const struct insn *in)
{
    if (path_guard(w, in))
        call(w, in, w->block->launch->module->codes[in->b]);
}

void op_call_indirect(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    const struct module *m = w->block->launch->module;
    const uint64_t *to = row(w, in->a);
    uint64_t first = to[__builtin_ctz(w->mask)], index = first & ~TAG_MASK;
    uint32_t same = 0;
    FOR_LANES(l, w->mask)
    same |= (uint32_t)(to[l] == first) << l;
    if ((first & TAG_MASK) != TAG_CODE || index >= (uint64_t)m->ptx->func_count || !m->codes[index] ||
        !m->ptx->funcs[index].defined) {
        report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Invalid call at %s: 0x%llx is not a device function%s",
               origin_place(m, in->id), (unsigned long long)first,
               memory_host_part(first) ? "; it is a function of the host: take the address in device code" : "");
        fail_launch(w->block->launch, CUDA_ERROR_INVALID_PC);
        path_exit(w);
        return;
    }
    if (same != w->mask) // the other lanes call later
        path_split(w, w->mask & ~same);
    call(w, in, m->codes[index]);
}
