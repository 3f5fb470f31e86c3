// Branches, calls, barriers and what the lanes of a warp do together.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "decode/families.h"

struct insn *emit_control(struct decoder *d, enum action run)
{
    struct insn *in = emit(d, run);
    in->guarded = d->module->handlers[run];
    in->c = d->block + 1 < d->cfg.count ? d->block + 1 : NONE; // the next block in the text
    return in;
}

void decode_branch(struct decoder *d)
{
    uint32_t to = (uint32_t)operand(d, 0)->value;
    struct insn *in = emit_control(d, RUN_branch);
    in->target = (int)to < d->f->instr_count ? d->cfg.block_of[to] : NONE;
}

void decode_branch_index(struct decoder *d)
{
    const struct ptx_operand *list = operand(d, 1);
    uint32_t index = source(d, operand(d, 0), LANE_u32);
    if (list->kind != PTX_OP_VECTOR || d->failed) {
        refuse(d, "needs a list of labels");
        return;
    }
    uint32_t *blocks = alloc_zeroed((size_t)list->count + 1, sizeof *blocks);
    for (int k = 0; k < list->count; k++)
        blocks[k] = list->list[k].value < d->f->instr_count ? d->cfg.block_of[list->list[k].value] : NONE;
    uint32_t first = add_list(d, blocks, (uint32_t)list->count);
    free(blocks);
    struct insn *in = emit_control(d, RUN_branch_index);
    in->a = index;
    in->target = first;
    in->imm = list->count;
}

void decode_leave(struct decoder *d)
{
    emit_control(d, !strcmp(d->words[0], "exit") || d->f->entry ? RUN_exit : RUN_ret);
}

// nvcc ends a function with a trap where it can tell that what follows has no meaning. __trap() has code after it.
void decode_trap(struct decoder *d)
{
    struct insn *in = emit_control(d, RUN_trap);
    in->sub = d->ptx == &d->f->instrs[d->f->instr_count - 1];
}

#define DEVICE_RUNTIME "__cudaCDP2" // the prefix of CUDA runtime calls that kernels make

// Functions that the device's library provides.
static enum action library_function(const char *name)
{
    static const struct {
        const char *name;
        enum action run;
    } known[] = {
        {"vprintf", RUN_print},
        {"__assertfail", RUN_assert_fail},
        {"__assert_fail", RUN_assert_fail},
        {"malloc", RUN_device_malloc},
        {"free", RUN_device_free},
        {"cudaGraphSetConditional", RUN_set_condition},
        {DEVICE_RUNTIME "GetParameterBuffer", RUN_parameter_space},
        {DEVICE_RUNTIME "GetParameterBufferV2", RUN_parameter_buffer},
        {DEVICE_RUNTIME "LaunchDevice", RUN_device_launch},
        {DEVICE_RUNTIME "LaunchDeviceV2", RUN_device_launch_buffer},
        {DEVICE_RUNTIME "MemcpyAsync", RUN_device_copy},
        {DEVICE_RUNTIME "MemsetAsync", RUN_device_fill},
        {DEVICE_RUNTIME "Malloc", RUN_device_allocate},
        {DEVICE_RUNTIME "Free", RUN_device_release},
        {DEVICE_RUNTIME "StreamCreateWithFlags", RUN_device_stream},
        {DEVICE_RUNTIME "EventCreateWithFlags", RUN_device_event},
        {DEVICE_RUNTIME "EventRecord", RUN_device_order},
        {DEVICE_RUNTIME "EventRecordWithFlags", RUN_device_order},
        {DEVICE_RUNTIME "StreamWaitEvent", RUN_device_order},
        {DEVICE_RUNTIME "StreamDestroy", RUN_device_destroy},
        {DEVICE_RUNTIME "EventDestroy", RUN_device_destroy},
        {DEVICE_RUNTIME "GetLastError", RUN_device_error},
        {DEVICE_RUNTIME "PeekAtLastError", RUN_device_error_kept},
        {DEVICE_RUNTIME "GetErrorName", RUN_device_error_name},
        {DEVICE_RUNTIME "GetErrorString", RUN_device_error_text},
        {DEVICE_RUNTIME "GetDevice", RUN_device_number},
    };
    size_t length = strlen(name), suffix = strlen("_ptsz"); // variants for per-thread default streams: here the same
    if (length > suffix && !strcmp(name + length - suffix, "_ptsz"))
        length -= suffix;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(known[i].name, name, length) && !known[i].name[length])
            return known[i].run;
    return NO_ACTION;
}

// Refuses a call without a target, by the name that the program uses for it.
static void refuse_call(struct decoder *d, const char *name)
{
    size_t prefix = strlen(DEVICE_RUNTIME);
    if (name && !strncmp(name, DEVICE_RUNTIME, prefix))
        refuse(d, "calls cuda%s, which this machine does not have in kernels", name + prefix);
    else
        refuse(d, "calls %s, which is not defined", name ? name : "nothing");
}

// Appends to offsets the frame offsets of the caller's .param variables in a ( ... ) list.
static uint32_t frame_offsets(struct decoder *d, const struct ptx_operand *list, uint32_t *offsets, uint32_t n)
{
    for (int k = 0; k < list->count; k++) {
        struct symbol s = {.space = PTX_REG};
        if (list->list[k].kind == PTX_OP_SYMBOL)
            s = find_symbol(d, list->list[k].symbol);
        if (s.space != PTX_PARAM || !s.frame || n >= 64) {
            refuse(d, "passes an argument that is not a .param variable");
            return n;
        }
        offsets[n++] = (uint32_t)s.value;
    }
    return n;
}

// call{.uni} (rets), function, (args){, prototype}: imm packs the numbers of rets and args, target lists the frame
// offsets of both.
void decode_call(struct decoder *d)
{
    static const struct ptx_operand empty = {.kind = PTX_OP_VECTOR};
    bool gives = operand(d, 0)->kind == PTX_OP_VECTOR;
    const struct ptx_operand *rets = gives ? operand(d, 0) : &empty, *callee = operand(d, gives);
    const struct ptx_operand *args =
        d->ptx->count > gives + 1 && operand(d, gives + 1)->kind == PTX_OP_VECTOR ? operand(d, gives + 1) : &empty;
    uint32_t offsets[64], n_rets = frame_offsets(d, rets, offsets, 0);
    uint32_t n = frame_offsets(d, args, offsets, n_rets), first = add_list(d, offsets, n), place = NONE;
    enum action run = RUN_call;
    struct symbol s = {.space = PTX_REG};
    if (callee->kind == PTX_OP_REG) {
        place = source(d, callee, LANE_u64);
        run = RUN_call_indirect;
    } else if (callee->kind == PTX_OP_SYMBOL)
        s = find_symbol(d, callee->symbol);
    if (callee->kind == PTX_OP_SYMBOL && library_function(callee->symbol) != NO_ACTION)
        run = library_function(callee->symbol);
    else if (run == RUN_call && (!s.function || !d->module->ptx->funcs[s.value & ~TAG_MASK].defined))
        refuse_call(d, callee->symbol);
    d->code->calls |= run == RUN_call || run == RUN_call_indirect;
    struct insn *in = emit_control(d, run);
    in->a = place;
    in->b = run == RUN_call ? (uint32_t)(s.value & ~TAG_MASK) : NONE; // index of the function
    in->target = first;
    in->imm = (int64_t)n_rets << 32 | (n - n_rets);
}

// ---- barriers

// barrier.cluster.arrive{.release,.relaxed}{.aligned}; barrier.cluster.wait{.acquire}{.aligned}
static void decode_cluster_barrier(struct decoder *d)
{
    static const char *const known[] = {"cluster", "arrive", "wait", "release", "relaxed", "acquire", "aligned"};
    bool arrive = has_word(d, "arrive");
    refuse_other_words(d, known, sizeof known / sizeof *known);
    d->code->cluster_barrier = true;
    struct insn *in = emit_control(d, arrive ? RUN_cluster_arrive : RUN_cluster_wait);
    in->sub = !has_word(d, "relaxed");
    in->order = has_word(d, "aligned");
}

// bar{.cta}.{sync,arrive} a{, b}; bar.red.op d, a{, b}, p; bar.warp.sync mask; barrier{.cta} the same.
void decode_barrier(struct decoder *d)
{
    if (has_word(d, "cluster")) {
        decode_cluster_barrier(d);
        return;
    }
    if (has_word(d, "warp")) {
        uint32_t mask = source(d, operand(d, 0), LANE_u32);
        emit_control(d, RUN_warp_barrier)->a = mask;
        return;
    }
    bool red = has_word(d, "red"), popc = has_word(d, "popc");
    int at = red;
    uint32_t predicate = NONE, dst = NONE, number = source(d, operand(d, at), LANE_u32), threads = NONE;
    int left = d->ptx->count - at - 1 - red;
    if (left > 0)
        threads = source(d, operand(d, at + 1), LANE_u32);
    if (red) {
        predicate = source_predicate(d, operand(d, d->ptx->count - 1));
        dst = popc ? destination(d, operand(d, 0), 4) : destination_predicate(d, operand(d, 0));
    }
    uint32_t places[3] = {number, threads, predicate}, list = add_list(d, places, 3);
    bool negated = red && operand(d, d->ptx->count - 1)->negated;
    struct insn *in = emit_control(d, RUN_barrier);
    in->dst = dst;
    in->target = list;
    in->sub = (uint8_t)(popc                    ? BARRIER_POPC
                        : red                   ? has_word(d, "and") ? BARRIER_AND : BARRIER_OR
                        : has_word(d, "arrive") ? BARRIER_ARRIVE
                                                : BARRIER_SYNC);
    in->sub |= negated ? NEGATE_A : 0;
    const struct ptx_operand *which = operand(d, at);
    bool known = which->kind == PTX_OP_INT && which->value >= 0 && which->value < BARRIERS && left <= 0;
    in->imm = known ? which->value : -1; // it always means the barrier of all threads
    if (known && (in->sub & 15) == BARRIER_SYNC)
        replace_action(d, in, RUN_whole_barrier);
    in->order = !strcmp(d->words[0], "bar") || has_word(d, "aligned"); // all lanes of the warp together
}

static bool refuse_unless_sync(struct decoder *d)
{
    if (!has_word(d, "sync"))
        refuse(d, "is the form without .sync, gone since Volta; compile for compute_75 and use the _sync intrinsics");
    return d->failed;
}

// Whether a mask comes from __activemask(): always, or where a select or another assignment does not replace it.
enum { NO_ACTIVE_MASK, MAYBE_ACTIVE_MASK, ACTIVE_MASK };

static int active_mask(const struct ptx_function *f, const struct ptx_operand *mask, int depth);

static int both_masks(int a, int b)
{
    return a == b ? a : MAYBE_ACTIVE_MASK;
}

static int active_mask_of(const struct ptx_function *f, const struct ptx_instr *in, int depth)
{
    if (is_family(in->op, "activemask"))
        return ACTIVE_MASK;
    if (is_family(in->op, "mov"))
        return active_mask(f, &in->operands[1], depth);
    if (is_family(in->op, "selp"))
        return both_masks(active_mask(f, &in->operands[1], depth), active_mask(f, &in->operands[2], depth));
    return NO_ACTIVE_MASK;
}

static int active_mask(const struct ptx_function *f, const struct ptx_operand *mask, int depth)
{
    int found = -1;
    for (int i = 0; mask->kind == PTX_OP_REG && depth > 0 && i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        if (!in->count || in->operands[0].kind != PTX_OP_REG || in->operands[0].reg != mask->reg)
            continue;
        int here = active_mask_of(f, in, depth - 1);
        found = found < 0 ? here : both_masks(found, here);
    }
    return found < 0 ? NO_ACTIVE_MASK : found;
}

// shfl.sync.mode.b32 d{|p}, a, b, c, mask
void decode_shuffle(struct decoder *d)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    const struct ptx_operand *to = operand(d, 0);
    bool pair = to->kind == PTX_OP_PAIR;
    if (refuse_unless_sync(d))
        return;
    uint32_t places[3];
    for (int k = 0; k < 3; k++)
        places[k] = source(d, operand(d, k + 2), LANE_u32);
    uint32_t a = source(d, operand(d, 1), LANE_u32), dst = destination(d, pair ? &to->list[0] : to, 4);
    uint32_t inside = pair ? destination_predicate(d, &to->list[1]) : NONE, list = add_list(d, places, 3);
    uint32_t shadows = undefined_shuffle(d);
    struct insn *in = emit_control(d, RUN_shuffle);
    in->dst = dst;
    in->a = a;
    in->b = inside;
    in->target = list; // source lane, clamp, mask
    in->imm = shadows;
    for (uint8_t k = 0; k < 4; k++)
        if (has_word(d, modes[k])) {
            in->sub = k;
            if (k != SHUFFLE_IDX) // by distance: the lanes of the mask matter
                in->scope = (uint8_t)active_mask(d->f, operand(d, 4), 4);
            return;
        }
    refuse(d, "has no mode this machine knows");
}

// vote.sync.mode.{pred,b32} d, {!}a, mask
void decode_vote(struct decoder *d)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    if (refuse_unless_sync(d))
        return;
    bool ballot = has_word(d, "ballot");
    uint32_t a = source_predicate(d, operand(d, 1)), mask = source(d, operand(d, 2), LANE_u32);
    uint32_t dst = ballot ? destination(d, operand(d, 0), 4) : destination_predicate(d, operand(d, 0));
    struct insn *in = emit_control(d, RUN_vote);
    in->dst = dst;
    in->a = a;
    in->b = mask;
    for (uint8_t k = 0; k < 4; k++)
        if (has_word(d, modes[k])) {
            in->sub = (uint8_t)(k | (operand(d, 1)->negated ? NEGATE_A : 0));
            return;
        }
    refuse(d, "has no mode this machine knows");
}

// match.{any,all}.sync.{b32,b64} d{|p}, a, mask
void decode_match(struct decoder *d)
{
    bool wide = !strcmp(last_word(d), "b64");
    const struct ptx_operand *to = operand(d, 0);
    bool pair = to->kind == PTX_OP_PAIR;
    uint32_t a = source(d, operand(d, 1), wide ? LANE_u64 : LANE_u32), mask = source(d, operand(d, 2), LANE_u32);
    uint32_t dst = destination(d, pair ? &to->list[0] : to, 4);
    uint32_t all = pair ? destination_predicate(d, &to->list[1]) : NONE;
    uint32_t list = add_list(d, &all, 1);
    struct insn *in = emit_control(d, RUN_match);
    in->dst = dst;
    in->a = a;
    in->b = mask;
    in->target = list;
    in->size = wide ? 8 : 4;
    in->sub = has_word(d, "all");
}

// redux.sync.op.type d, a, mask
void decode_redux(struct decoder *d)
{
    static const struct {
        const char *word;
        uint8_t op;
    } ops[] = {{"add", ATOM_ADD}, {"min", ATOM_MIN}, {"max", ATOM_MAX},
               {"and", ATOM_AND}, {"or", ATOM_OR},   {"xor", ATOM_XOR}};
    uint32_t a = source(d, operand(d, 1), LANE_u32), mask = source(d, operand(d, 2), LANE_u32);
    uint32_t dst = destination(d, operand(d, 0), 4);
    struct insn *in = emit_control(d, RUN_redux);
    in->dst = dst;
    in->a = a;
    in->b = mask;
    in->count = !strcmp(last_word(d), "s32");
    if (strcmp(last_word(d), "s32") && strcmp(last_word(d), "u32") && strcmp(last_word(d), "b32"))
        refuse(d, "reduces a type that this machine does not execute");
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (has_word(d, ops[k].word)) {
            in->sub = ops[k].op;
            return;
        }
    refuse(d, "has no operation this machine knows");
}

// elect.sync d|p, mask
void decode_elect(struct decoder *d)
{
    const struct ptx_operand *to = operand(d, 0);
    if (to->kind != PTX_OP_PAIR) {
        refuse(d, "needs a register and a predicate as its destination");
        return;
    }
    uint32_t mask = source(d, operand(d, 1), LANE_u32), dst = destination(d, &to->list[0], 4);
    uint32_t chosen = destination_predicate(d, &to->list[1]);
    struct insn *in = emit_control(d, RUN_elect);
    in->dst = dst;
    in->a = chosen;
    in->b = mask;
}

void decode_activemask(struct decoder *d)
{
    uint32_t dst = destination(d, operand(d, 0), 4);
    emit(d, RUN_activemask)->dst = dst;
}

void decode_sleep(struct decoder *d)
{
    emit(d, RUN_sleep);
}
