// Values that nothing has written. Each register that the decoder chose (decode/undefined.c) has a shadow, a mask of
// the lanes whose value is undefined. Shadows follow the values; a finding is reported only where an undefined value is
// used.
#include "exec/undefined.h"

#include <stdio.h>

#include "decode/forms.h"
#include "exec/finding.h"
#include "decode/opcodes.h"
#include "exec/handlers.h"

static uint32_t guarded(const struct warp *w, const struct insn *in)
{
    return in->guard == NONE ? w->mask : guard_lanes(w, in);
}

// At the start of a function: marks in->target registers as undefined.
void op_undefine(struct warp *w, const struct insn *in)
{
    for (uint32_t k = 0; k < in->target; k++)
        *(uint32_t *)register_row(w, in->dst + 4 * k) |= w->mask;
}

static uint32_t combine(const struct warp *w, const struct insn *in)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    uint32_t any = 0, all = in->count ? ALL_LANES : 0;
    if (in->sub == SPREAD_SELECT) {
        uint32_t p = predicate(w, in->c);
        return (p & predicate(w, list[0])) | (~p & predicate(w, list[1])) | predicate(w, list[2]);
    }
    if (in->sub == SPREAD_AND || in->sub == SPREAD_OR) {
        uint32_t no_a = predicate(w, list[0]), no_b = predicate(w, list[1]),
                 flip = in->sub == SPREAD_OR ? ALL_LANES : 0;
        return (no_a & (no_b | (predicate(w, list[3]) ^ flip))) | (no_b & (predicate(w, list[2]) ^ flip));
    }
    for (uint32_t k = 0; k < in->count; k++) {
        any |= predicate(w, list[k]);
        all &= predicate(w, list[k]);
    }
    return in->sub == SPREAD_ALL ? all : any;
}

void op_spread(struct warp *w, const struct insn *in)
{
    uint32_t *to = register_row(w, in->dst), mask = guarded(w, in), bits = combine(w, in);
    uint32_t unsure = in->a == NONE ? 0 : predicate(w, in->a) & w->mask; // lanes whose guard is undefined
    *to = (*to & ~mask) | (bits & mask) | unsure;
}

// Reports a use of a shared word that was never written and that in->b loaded.
static void report_unwritten(struct warp *w, const struct insn *in, uint32_t lane, const char *use)
{
    const struct module *m = w->block->launch->module;
    const struct scene s = scene_of_lane(w, lane);
    bool library = ptx_in_toolkit(m->ptx, m->origins[in->b].ptx->loc);
    report_scene(w->block, &s, FINDING_INIT, library ? INFORMATION : ERROR, in->b, (uint32_t)in->imm,
                 "Uninitialized __shared__ memory read of size %u at %s by %s: the value is %s at %s",
                 element_count(m->origins[in->b].ptx->op) * m->origins[in->b].size, origin_place(m, in->b),
                 thread_name(w->block, w->index * LANES + lane), use, origin_place(m, (uint32_t)in->imm));
}

// Reports a use of a value that the shuffle in->b read from a lane which does not take part.
static void report_absent(struct warp *w, const struct insn *in, uint32_t lane, const char *use)
{
    const struct module *m = w->block->launch->module;
    const struct scene s = scene_of_lane(w, lane);
    if (settings()->check_sync)
        report_scene(w->block, &s, FINDING_SYNC, ERROR, in->b, (uint32_t)in->imm,
                     "Barrier error detected. The shuffle at %s by %s reads from a lane which does not take part, "
                     "and the value is %s at %s",
                     origin_place(m, in->b), thread_name(w->block, w->index * LANES + lane), use,
                     origin_place(m, (uint32_t)in->imm));
}

void report_undefined(struct warp *w, const struct insn *in, uint32_t lanes)
{
    static const char *const uses[] = {"stored", "used as an address", "the condition", "passed to the other threads",
                                       "used by an atomic operation"};
    const struct module *m = w->block->launch->module;
    uint32_t id = (uint32_t)in->imm;
    if (ptx_in_toolkit(m->ptx, m->origins[id].ptx->loc)) // CUB shuffles lanes past the end and discards the result
        return;
    if (in->b < m->origin_count && m->origins[in->b].maybe_unused) {
        bool shuffle = m->origins[in->b].op == OP_shfl;
        (shuffle ? report_absent : report_unwritten)(w, in, (uint32_t)__builtin_ctz(lanes), uses[in->sub]);
        return;
    }
    const char *used = origin_place(m, id), *read = in->b < m->origin_count ? origin_place(m, in->b) : used;
    char where[600] = "";
    if (strcmp(used, read))
        snprintf(where, sizeof where, "; it was read first at %s", read);
    const struct scene s = scene_of_lane(w, (uint32_t)__builtin_ctz(lanes));
    report_scene(w->block, &s, FINDING_INIT, ERROR, id, in->b,
                 "Uninitialized local variable: "
                 "the value %s%s at %s by %s comes from a variable that was never written%s",
                 in->sub == USE_CONDITION ? "that is " : "", uses[in->sub], used,
                 thread_name(w->block, w->index * LANES + (uint32_t)__builtin_ctz(lanes)), where);
}

// After a load: the value from shared or local memory may have been stored undefined.
void op_spread_load(struct warp *w, const struct insn *in)
{
    uint32_t *to = register_row(w, in->dst);
    *to |= w->loaded_undefined & w->mask;
}

// Before a load: nothing is known of its value yet.
void op_forget_load(struct warp *w, const struct insn *in)
{
    (void)in;
    w->loaded_undefined = 0;
}

// Whether an undefined value may be stored depends on the address: check/init.c decides.
void op_check_defined(struct warp *w, const struct insn *in)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    uint32_t lanes = guarded(w, in);
    for (uint32_t k = 0; k < in->count; k++)
        lanes &= predicate(w, list[k]);
    if (in->sub == USE_STORED) {
        w->undefined = lanes;
        w->undefined_at = in;
    } else if (lanes)
        report_undefined(w, in, lanes);
}
