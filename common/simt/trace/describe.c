// Instructions in words: a reader of a trace knows "branch", not brx.idx.
#include "trace/describe.h"

#include "decode/opcodes.h"

bool waits_for_lanes(const struct origin *o)
{
    return o->op == OP_shfl || is_vote(o->op) || is_warp_wide(o->op) || is_family(o->ptx->op, "bar.warp");
}

static const char *flow_kind(const struct origin *o)
{
    switch (o->op) {
    case OP_bra:
    case OP_brx: return "branch";
    case OP_call: return "call";
    case OP_ret: return o->code->ptx->entry ? "exit" : "return";
    case OP_exit:
    case OP_trap:
    case OP_brkpt: return "exit";
    default: return NULL;
    }
}

static const char *memory_kind(const struct origin *o)
{
    if (o->op == OP_wmma)
        return is_family(o->ptx->op, "wmma.load") ? "load" : is_family(o->ptx->op, "wmma.store") ? "store" : NULL;
    switch (o->op) {
    case OP_ld:
    case OP_ldu:
    case OP_ldmatrix:
    case OP_tex:
    case OP_tld4:
    case OP_suld: return "load";
    case OP_sust:
    case OP_stmatrix:
    case OP_st: return "store";
    case OP_atom:
    case OP_red: return "atomic";
    case OP_cp:
    case OP_mbarrier: return "async";
    default: return NULL;
    }
}

const char *instruction_kind(const struct origin *o)
{
    const char *kind = memory_kind(o) ? memory_kind(o) : flow_kind(o);
    if (kind)
        return kind;
    if (is_vote(o->op) || o->op == OP_activemask)
        return "vote";
    if (is_product(o->op, o->ptx->op) || o->op == OP_movmatrix)
        return "tensor";
    switch (o->op) {
    case OP_shfl: return "shuffle";
    case OP_bar:
    case OP_barrier: return is_block_barrier(o->op, o->ptx->op) ? "barrier" : "warp_barrier";
    case OP_membar:
    case OP_fence: return "fence";
    case OP_prefetch:
    case OP_prefetchu:
    case OP_discard:
    case OP_pmevent:
    case OP_griddepcontrol:
    case OP_nanosleep: return "other";
    default: return "alu";
    }
}

const char *space_word(enum ptx_space space)
{
    static const char *const words[] = {"generic", "local", "global", "shared", "local", "const", "param"};
    return words[space];
}

const char *memory_space(const struct origin *o)
{
    static const char *const spaces[] = {"shared", "global", "local", "const", "param"};
    if (!memory_kind(o))
        return NULL;
    if (is_object_access(o->op))
        return "global";
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const char *at = strstr(o->ptx->op, spaces[i]);
        if (at && at[-1] == '.')
            return spaces[i];
    }
    return "generic";
}

enum ptx_type element_type(const struct origin *o)
{
    const char *dot = strrchr(o->ptx->op, '.');
    if (!memory_kind(o) || !dot)
        return PTX_NONE;
    if (o->op == OP_tex || o->op == OP_tld4 || is_warp_wide(o->op)) // matrices move by registers
        return o->size == 8 ? PTX_B64 : PTX_B32;
    return ptx_type_parse(dot + 1, strlen(dot + 1));
}

uint32_t elements_of(const struct origin *o)
{
    return o->op == OP_ldmatrix || o->op == OP_stmatrix ? 4 : element_count(o->ptx->op);
}

static bool writes_nothing(const struct origin *o)
{
    const char *kind = instruction_kind(o);
    return o->op == OP_st || !strcmp(kind, "store") || o->op == OP_red || o->op == OP_cp || flow_kind(o) ||
           !strcmp(kind, "other") || !strcmp(kind, "fence") || o->op == OP_bar || o->op == OP_barrier;
}

enum ptx_type written_type(const struct origin *o)
{
    if (writes_nothing(o) || !o->ptx->count)
        return PTX_NONE;
    const struct ptx_operand *to = &o->ptx->operands[0];
    bool vector = to->kind == PTX_OP_VECTOR && to->count && (memory_kind(o) || is_product(o->op, o->ptx->op));
    to = to->kind == PTX_OP_PAIR || vector ? &to->list[0] : to;
    return to->kind == PTX_OP_REG ? o->code->ptx->regs[to->reg].type : PTX_NONE;
}
