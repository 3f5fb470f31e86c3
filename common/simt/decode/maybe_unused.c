// Which loaded values may go unused.
//
// Compilers load a shared word early, before the condition under which the program reads it, so lanes load it that
// never use it. A register is certainly used at a point if every path from there uses its value: stores it, addresses
// memory by it, branches on it, passes it to an atomic, a vote or a call, adds it to a floating-point number (compilers
// do not move that before a condition), or computes from it a value that is certainly used. The sets are the greatest
// fixed point: a path that never ends uses everything. A load whose register is in the set after it is reported at the
// load; the others get a shadow (undefined.c). The same holds for a shuffle: lanes outside its mask give a value to
// lanes that then do not use it.
#include "decode/maybe_unused.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/slots.h"

bool is_own_access(const struct ptx_instr *in, const char *family)
{
    return is_family(in->op, family) && !strstr(in->op, ".global") && !strstr(in->op, ".param") &&
           !strstr(in->op, ".const");
}

bool merges_predicates(const struct ptx_instr *in)
{
    return (!strcmp(in->op, "and.pred") || !strcmp(in->op, "or.pred")) && in->count == 3 &&
           in->operands[1].kind == PTX_OP_REG && in->operands[2].kind == PTX_OP_REG;
}

static bool has(const uint64_t *set, int reg)
{
    return set[reg >> 6] >> (reg & 63) & 1;
}

static void put(uint64_t *set, int reg, bool used)
{
    uint64_t bit = UINT64_C(1) << (reg & 63);
    set[reg >> 6] = used ? set[reg >> 6] | bit : set[reg >> 6] & ~bit;
}

// Adds the registers that o names to the set, or removes them.
static void put_all(uint64_t *set, const struct ptx_operand *o, bool used)
{
    if ((o->kind == PTX_OP_REG || o->kind == PTX_OP_ADDRESS) && o->reg >= 0)
        put(set, o->reg, used);
    for (int k = 0; k < o->count; k++)
        put_all(set, &o->list[k], used);
}

static bool has_any(const uint64_t *set, const struct ptx_operand *o)
{
    bool any = o->kind == PTX_OP_REG && has(set, o->reg);
    for (int k = 0; k < o->count; k++)
        any |= has_any(set, &o->list[k]);
    return any;
}

static bool is_float_arithmetic(const struct ptx_instr *in)
{
    static const char *const ops[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt", "rsqrt", NULL};
    const char *type = strrchr(in->op, '.');
    bool any = false;
    for (int k = 0; ops[k]; k++)
        any |= is_family(in->op, ops[k]);
    return any && type && (type[1] == 'f' || type[1] == 'b');
}

// Whether it computes its result from its operands alone, so that they are used only if the result is.
static bool propagates_operands(const struct ptx_instr *in)
{
    static const char *const act[] = {"ld",  "ldu",     "ldmatrix", "wmma", "atom",  "tex",   "tld4",
                                      "txq", "suld",    "suq",      "vote", "match", "redux", "elect",
                                      "bar", "barrier", "mbarrier", "call", "mma",   "wgmma", NULL};
    for (int k = 0; act[k]; k++)
        if (is_family(in->op, act[k]))
            return false;
    return defines_first(in) && !is_float_arithmetic(in);
}

// Turns the set after an instruction into the set before it.
static void transfer_back(uint64_t *set, const struct ptx_instr *in)
{
    bool defines = defines_first(in) && in->count, passes = propagates_operands(in);
    bool counts = !passes || (defines && has_any(set, &in->operands[0]));
    if (defines && in->guard < 0)
        put_all(set, &in->operands[0], false);
    bool chooses = is_family(in->op, "selp"); // only one of two sources is used
    for (int k = defines; k < in->count && counts && in->guard < 0 && !merges_predicates(in); k++)
        if (!chooses || k == 3)
            put_all(set, &in->operands[k], true);
    if (in->guard >= 0 && counts)
        put(set, in->guard, true);
}

struct sets {
    const struct ptx_function *f;
    const struct cfg *cfg;
    size_t words; // of a set
    uint64_t *in; // per basic block: what is certainly used from its start on
};

// The set at the end of block b: the intersection over its successors.
static void meet_successors(const struct sets *s, const struct cfg_block *b, uint64_t *set)
{
    memset(set, b->exits || !b->next_count ? 0 : 0xff, s->words * sizeof *set);
    for (uint32_t k = 0; k < b->next_count; k++)
        for (size_t i = 0; i < s->words; i++)
            set[i] &= s->in[b->next[k] * s->words + i];
}

static void solve(const struct sets *s, uint64_t *set)
{
    memset(s->in, 0xff, s->cfg->count * s->words * sizeof *s->in);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = s->cfg->count; b-- > 0;) {
            uint64_t *in = s->in + b * s->words;
            meet_successors(s, &s->cfg->blocks[b], set);
            for (uint32_t i = s->cfg->blocks[b].last; i-- > s->cfg->blocks[b].first;)
                transfer_back(set, &s->f->instrs[i]);
            changed |= memcmp(in, set, s->words * sizeof *set) != 0;
            memcpy(in, set, s->words * sizeof *set);
        }
    }
}

static bool loads_shared(const struct ptx_instr *in)
{
    return is_own_access(in, "ld") && !strstr(in->op, ".local") && in->count;
}

// The registers that only one instruction writes, with a constant.
static bool *find_constants(const struct ptx_function *f)
{
    bool *constant = alloc_zeroed((size_t)f->reg_count + 1, sizeof *constant);
    bool *given = alloc_zeroed((size_t)f->reg_count + 1, sizeof *given);
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        int reg = in->count && defines_first(in) ? in->operands[0].reg : -1;
        if (reg < 0)
            continue;
        constant[reg] = !given[reg] && is_family(in->op, "mov") && in->operands[1].kind == PTX_OP_INT;
        given[reg] = true;
    }
    free(given);
    return constant;
}

// The instructions whose result may be undefined: a word that was never written, or a lane that does not take part.
// With a constant mask all lanes are assumed to take part. NULL: there are none.
static bool *find_undefined_sources(const struct ptx_function *f)
{
    bool *brings = alloc_zeroed((size_t)f->instr_count + 1, sizeof *brings), *constant = find_constants(f), any = false;
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        const struct ptx_operand *mask = is_family(in->op, "shfl") && in->count == 5 ? &in->operands[4] : NULL;
        bool known = mask && (mask->kind == PTX_OP_INT || (mask->kind == PTX_OP_REG && constant[mask->reg]));
        brings[i] = loads_shared(in) || (mask && !known);
        any |= brings[i];
    }
    free(constant);
    if (any)
        return brings;
    free(brings);
    return NULL;
}

bool *find_maybe_unused_loads(const struct ptx_function *f, const struct cfg *cfg)
{
    struct sets s = {f, cfg, ((size_t)f->reg_count + 63) / 64, NULL};
    bool any = false, *found = s.words ? find_undefined_sources(f) : NULL;
    if (!found)
        return NULL;
    uint64_t *set = alloc_zeroed(s.words, sizeof *set);
    s.in = alloc_zeroed(cfg->count * s.words, sizeof *s.in);
    solve(&s, set);
    for (uint32_t b = 0; b < cfg->count; b++) {
        meet_successors(&s, &cfg->blocks[b], set);
        for (uint32_t i = cfg->blocks[b].last; i-- > cfg->blocks[b].first;) {
            const struct ptx_instr *in = &f->instrs[i];
            found[i] = found[i] && !has_any(set, &in->operands[0]);
            any |= found[i];
            transfer_back(set, in);
        }
    }
    free(s.in);
    free(set);
    if (any)
        return found;
    free(found);
    return NULL;
}

// ---- results

// Adds `by` to reads[r] for each occurrence of register r in the operands.
static void add_places(uint32_t *reads, const struct ptx_operand *o, int count, uint32_t by)
{
    for (int k = 0; k < count; k++) {
        if (o[k].reg >= 0)
            reads[o[k].reg] += by;
        if (o[k].list)
            add_places(reads, o[k].list, o[k].count, by);
    }
}

// Likewise for the operands that an instruction reads.
static void add_reads(uint32_t *reads, const struct ptx_instr *in, uint32_t by)
{
    int first = defines_first(in) && in->count;
    if (in->guard >= 0)
        reads[in->guard] += by;
    add_places(reads, in->operands + first, in->count - first, by);
}

uint32_t *count_reads(const struct ptx_function *f)
{
    uint32_t *reads = alloc_zeroed((size_t)f->reg_count + 1, sizeof *reads); // operands without a register may have 0
    for (int i = 0; i < f->instr_count; i++)
        add_reads(reads, &f->instrs[i], 1);
    return reads;
}

bool is_result_read(uint32_t *reads, const struct ptx_instr *in)
{
    const struct ptx_operand *to = in->operands;
    add_reads(reads, in, -1u); // an instruction's own reads do not count
    bool read = to->reg >= 0 && reads[to->reg];
    for (int k = 0; k < to->count && !read; k++)
        read = to->list[k].reg >= 0 && reads[to->list[k].reg];
    add_reads(reads, in, 1);
    return read;
}

bool is_call_ignored(const struct ptx_function *f, const struct ptx_instr *call)
{
    const struct ptx_instr *next = call + 1;
    if (next == f->instrs + f->instr_count || strncmp(next->op, "ld.param.", strlen("ld.param.")) != 0)
        return true;
    uint32_t *reads = count_reads(f);
    bool ignored = !is_result_read(reads, next);
    free(reads);
    return ignored;
}
