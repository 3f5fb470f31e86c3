// Generated functions: blocks, what follows them, and lanes that part and meet again (text.h).
//
// A block has two forms. The first is for all 32 lanes. Where a branch sends them two ways and both ways come together
// soon, without a loop or a meeting of lanes in between, the blocks on the way are run one after another in their
// second form, each for the lanes that are on their way to it (`pending`). Every other branch that parts the lanes is
// left to the machine.
#include "native/text.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/forms.h"
#include "decode/opcodes.h"

#define MOST_INSTRUCTIONS 2000 // of a function: a compiler takes 10 ms and more for each
#define ALL_OF_WARP 0xffffffffu
#define MOST_BETWEEN 48 // blocks between a branch and where its ways meet

// ---- where lanes part and meet again

// Whether all ways from block `at` lead forward to block `end` by plain branches. Marks the blocks on them.
static bool leads_to(const struct code *c, uint32_t at, uint32_t end, bool *on_way)
{
    uint32_t next[2];
    if (at == end)
        return true;
    if (at == NONE || at > end)
        return false;
    if (on_way[at])
        return true;
    uint32_t action = action_of(c, c->blocks[at].last - 1);
    int n = action == RUN_goto || action == RUN_branch ? successors(c, &c->blocks[at], next, 2) : -1;
    on_way[at] = true;
    for (int k = 0; k < n; k++)
        if (next[k] == NONE || next[k] <= at || !leads_to(c, next[k], end, on_way))
            return false;
    return n > 0;
}

// Whether the order in which lanes run a block shows in what it does: float sums, lines printed.
static bool shows_order(const struct code *c, const struct basic_block *b)
{
    for (const struct insn *in = b->first; in < b->last; in++)
        if (action_of(c, in) == RUN_atomic || !effects_of(c, in).known)
            return true;
    return false;
}

// Whether lanes that part at the end of block b can be followed to where they meet; marks the blocks in between.
// *most: instructions that they run there, at most.
static bool can_part(const struct code *c, uint32_t b, bool *masked, uint32_t *most)
{
    const struct insn *in = c->blocks[b].last - 1;
    uint32_t end = c->blocks[b].post_dominator, between = 0;
    if (action_of(c, in) != RUN_branch || in->guard == NONE || end == NONE || end <= b || end - b > MOST_BETWEEN)
        return false;
    if (in->target <= b || in->c <= b)
        return false;
    bool *on_way = alloc_zeroed(c->block_count, sizeof *on_way), ordered = false;
    bool can = leads_to(c, in->target, end, on_way) && leads_to(c, in->c, end, on_way);
    *most = 0;
    for (uint32_t k = b + 1; can && k < end; k++)
        if (on_way[k]) {
            *most += c->blocks[k].length;
            ordered |= shows_order(c, &c->blocks[k]);
            between++;
        }
    can &= !ordered || between == 1;
    for (uint32_t k = b + 1; can && k < end; k++)
        masked[k] |= on_way[k];
    free(on_way);
    return can;
}

// ---- the end of a block

// The constant that a PTX register holds: the only instruction that writes it is a move of one.
static bool register_constant(const struct ptx_function *f, int reg, uint32_t *value)
{
    int writers = 0;
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        for (int k = 0; k < in->count; k++) {
            const struct ptx_operand *o = &in->operands[k];
            bool moves =
                is_family(in->op, "mov") && in->count == 2 && in->guard < 0 && in->operands[1].kind == PTX_OP_INT;
            if (o->kind == PTX_OP_REG && o->reg == reg && k == 0) {
                *value = (uint32_t)in->operands[1].value;
                writers += moves ? 1 : 2;
            }
            for (int m = 0; k == 0 && m < o->count && (o->kind == PTX_OP_VECTOR || o->kind == PTX_OP_PAIR); m++)
                writers += o->list[m].kind == PTX_OP_REG && o->list[m].reg == reg ? 2 : 0;
        }
    }
    return writers == 1;
}

// What an operand of 32 bits is in all lanes and at all times.
static bool is_constant(const struct code *c, const struct insn *in, int operand, uint32_t *value)
{
    const struct ptx_instr *ptx = c->module->origins[in->id].ptx;
    if (operand >= ptx->count)
        return false;
    const struct ptx_operand *o = &ptx->operands[operand];
    *value = (uint32_t)o->value;
    return o->kind == PTX_OP_INT || (o->kind == PTX_OP_REG && register_constant(c->ptx, o->reg, value));
}

// A distance by which all lanes of the warp shuffle, in the whole warp; -1: it is not so, or not known.
static int shuffle_distance(const struct code *c, const struct insn *in)
{
    uint32_t v[3];
    for (int k = 0; k < 3; k++)
        if (!is_constant(c, in, k + 2, &v[k]))
            return -1;
    bool whole = v[2] == ALL_OF_WARP && (v[1] & 0x1f1f) == (in->sub == SHUFFLE_UP ? 0u : 31u);
    return whole && !in->imm && in->guard == NONE ? (int)(v[0] & 31) : -1;
}

static void text_shuffle(const struct text *t, const struct step *s, int d)
{
    static const char *const from[] = {[SHUFFLE_UP] = "l >= %d ? l - %d : l",
                                       [SHUFFLE_DOWN] = "l + %d < 32 ? l + %d : l",
                                       [SHUFFLE_BFLY] = "(l ^ %d) + 0 * %d",
                                       [SHUFFLE_IDX] = "%d + 0 * %d"};
    const uint32_t inside[] = {[SHUFFLE_UP] = ALL_OF_WARP << d,
                               [SHUFFLE_DOWN] = ALL_OF_WARP >> d,
                               [SHUFFLE_BFLY] = ALL_OF_WARP,
                               [SHUFFLE_IDX] = ALL_OF_WARP};
    fprintf(t->out, "    { u32 r[32] ROW; const u32 *a = ");
    text_row(t, &s->use[0]);
    fprintf(t->out, ";\n    EACH_LANE r[l] = a[");
    fprintf(t->out, from[s->in->sub], d, d);
    fprintf(t->out, "];\n    EACH_LANE ((u32 *)(R + %u))[l] = r[l]; }\n", s->in->dst);
    if (s->in->b != NONE)
        fprintf(t->out, "    *(u32 *)(R + %u) = 0x%xu;\n", s->in->b, inside[s->in->sub]);
    fprintf(t->out, "    goto B%u;\n", s->in->c);
}

// most: instructions between here and where the lanes meet again, which take no more than the warp's budget; 0: lanes
// that part are left to the machine.
static void text_branch(const struct text *t, const struct step *s, uint32_t most)
{
    const struct insn *in = s->in;
    uint32_t b = t->plan->block, end = t->plan->code->blocks[b].post_dominator;
    fprintf(t->out, "    { const u32 taken = ");
    text_guard_bits(t, s);
    fprintf(t->out, ";\n    if (taken == NATIVE_ALL) goto B%u;\n    if (!taken) goto B%u;\n", in->target, in->c);
    if (!most) {
        fprintf(t->out, "    return %u | NATIVE_CONTROL; }\n", b);
        return;
    }
    fprintf(t->out, "    if (*L <= %u) return %u | NATIVE_CONTROL;\n    D[%u]++;\n", most, b, in->id);
    if (in->target != end)
        fprintf(t->out, "    W[%u] = taken;\n", in->target);
    if (in->c != end)
        fprintf(t->out, "    W[%u] |= ~taken;\n", in->c);
    fprintf(t->out, "    at = %u; end = %u; goto masked; }\n", b + 1, end);
}

// Whether a barrier of a warp is one of all its lanes.
static bool is_whole_warp(const struct code *c, const struct insn *in)
{
    uint32_t mask = 0;
    return in->guard == NONE && is_constant(c, in, 0, &mask) && mask == ALL_OF_WARP;
}

static void text_end(const struct text *t, uint32_t most)
{
    const struct step *s = &t->plan->last;
    const struct insn *in = s->in;
    const struct code *c = t->plan->code;
    bool follows = in->c != NONE;
    if ((s->action == RUN_goto || (s->action == RUN_branch && in->guard == NONE)) && in->target != NONE)
        fprintf(t->out, "    goto B%u;\n", in->target);
    else if (s->action == RUN_branch && in->guard != NONE && in->target != NONE && follows)
        text_branch(t, s, most);
    else if (s->action == RUN_shuffle && follows && shuffle_distance(c, in) >= 0)
        text_shuffle(t, s, shuffle_distance(c, in));
    else if (s->action == RUN_warp_barrier && follows && is_whole_warp(c, in))
        fprintf(t->out, "    goto B%u;\n", in->c);
    else
        fprintf(t->out, "    return %u | NATIVE_CONTROL%s;\n", t->plan->block,
                s->action == RUN_whole_barrier && in->guard == NONE ? " | NATIVE_BARRIER" : "");
}

// In the second form: the lanes go on to one block or two, of which `end` is not asked for.
static void text_masked_end(const struct text *t)
{
    const struct step *s = &t->plan->last;
    if (s->in->guard == NONE) {
        fprintf(t->out, "    if (%u != end) W[%u] |= mask;\n", s->in->target, s->in->target);
        return;
    }
    fprintf(t->out, "    const u32 taken = mask & ");
    text_guard_bits(t, s);
    fprintf(t->out, ";\n    if (taken && taken != mask) D[%u]++;\n", s->in->id);
    fprintf(t->out, "    if (%u != end) W[%u] |= taken;\n", s->in->target, s->in->target);
    fprintf(t->out, "    if (%u != end) W[%u] |= mask & ~taken;\n", s->in->c, s->in->c);
}

// ---- blocks

static void text_steps(const struct text *t)
{
    const struct plan *p = t->plan;
    for (uint32_t k = 0; k < p->step_count;) {
        struct step *s = &p->steps[k];
        if (s->kind == STEP_LANES) {
            k = text_lanes(t, k);
            continue;
        }
        if (s->kind == STEP_LOAD || s->kind == STEP_STORE)
            text_access(t, s);
        else if (s->kind == STEP_CALL)
            text_call(t, s);
        else
            text_count(t, s);
        k++;
    }
}

static void text_block(const struct text *t, uint32_t most)
{
    uint32_t b = t->plan->block, length = t->plan->code->blocks[b].length;
    if (t->masked)
        fprintf(t->out, "case %u: {\n    N[%u].warps++; N[%u].lanes += (u64)__builtin_popcount(mask);\n", b, b, b);
    else
        fprintf(t->out, "B%u: {\n    if (*L <= 0) return %u;\n    N[%u].warps++; N[%u].lanes += 32;\n", b, b, b, b);
    fprintf(t->out, "    *L -= %u; *I += %u;\n", length, length);
    text_steps(t);
    if (t->masked) {
        text_masked_end(t);
        fprintf(t->out, "    break; }\n");
        return;
    }
    text_end(t, most);
    fprintf(t->out, "}\n");
}

static void text_blocks(FILE *out, const struct code *c, const struct liveness *l, bool *masked, bool second)
{
    for (uint32_t b = 0; b < c->block_count; b++) {
        struct plan p;
        uint32_t most = 0;
        if (second && !masked[b])
            continue;
        plan_open(&p, c, l, b);
        bool parts = !second && can_part(c, b, masked, &most);
        text_block(&(struct text){out, &p, second}, parts ? most : 0);
        plan_close(&p);
    }
}

static const char begin[] =
    "uint32_t simt_native(const struct native_warp *restrict s, uint32_t at)\n"
    "{\n"
    "    u8 *const R = s->registers;\n"
    "    struct native_count *const N = s->runs;\n"
    "    u64 *const I = s->issued;\n"
    "    s64 *const L = s->budget;\n"
    "    u32 end = 0;\n"
    "    struct native_span span = {0}, written = {0};\n"
    "    (void)end, (void)span, (void)written;\n"
    "again:\n"
    "    switch (at) {\n";

static const char middle[] = "masked:\n"
                             "    for (; at != end; at++) {\n"
                             "        const u32 mask = W[at];\n"
                             "        if (!mask)\n"
                             "            continue;\n"
                             "        W[at] = 0;\n"
                             "        switch (at) {\n";

bool text_function(FILE *out, const struct code *c)
{
    struct liveness l;
    if (c->insn_count > MOST_INSTRUCTIONS || !c->ptx->entry || !c->block_count)
        return false;
    bool *masked = alloc_zeroed(c->block_count, sizeof *masked), any = false;
    live_open(&l, c);
    fprintf(out, "%s", begin);
    for (uint32_t b = 0; b < c->block_count; b++)
        fprintf(out, "    case %u: goto B%u;\n", b, b);
    fprintf(out, "    default: return at;\n    }\n");
    text_blocks(out, c, &l, masked, false);
    for (uint32_t b = 0; b < c->block_count; b++)
        any |= masked[b];
    if (any) {
        fprintf(out, "%s", middle);
        text_blocks(out, c, &l, masked, true);
        fprintf(out, "        default: break;\n        }\n    }\n    goto again;\n");
    }
    fprintf(out, "}\n");
    live_close(&l);
    free(masked);
    return true;
}
