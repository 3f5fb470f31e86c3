// Values that were never written (families.h).
//
// nvcc turns an uninitialised variable into a register that some path reads before it is written. Liveness (slots.c)
// finds those, and most functions have none. For these registers, and for all that are computed from them, a shadow
// tells in which lanes the value is undefined: a bit per lane, maintained by instructions that are emitted before the
// program's own. Moves, arithmetic and shuffles pass it on, and so do shared and local memory (check/init.c); a check
// comes where the value is stored in global memory, used as an address, branched on, or passed to an atomic or a vote.
// So a value that is never used is not reported, however the compiler moves its computation.
//
// A shared word that was never written is treated alike if the loaded value may go unused (maybe_unused.c).
#include <stdlib.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "decode/families.h"
#include "decode/slots.h"
#include "decode/maybe_unused.h"
#include "report/settings.h"

#define MAX_SOURCES 24

struct sources {
    int reg[MAX_SOURCES];
    uint32_t count;
};

static bool is_any(const struct ptx_instr *in, const char *const *families)
{
    for (; *families; families++)
        if (is_family(in->op, *families))
            return true;
    return false;
}

static void gather(const struct ptx_operand *o, struct sources *s)
{
    if (o->kind == PTX_OP_REG && s->count < MAX_SOURCES)
        s->reg[s->count++] = o->reg;
    if (o->kind == PTX_OP_VECTOR || o->kind == PTX_OP_PAIR)
        for (int k = 0; k < o->count; k++)
            gather(&o->list[k], s);
}

static struct sources gather_from(const struct ptx_instr *in, int first, int end)
{
    struct sources s = {.count = 0};
    for (int k = first; k < end && k < in->count; k++)
        gather(&in->operands[k], &s);
    return s;
}

// A shuffle's predicate, whether its source lane was valid, is always defined.
static struct sources results_of(const struct ptx_instr *in)
{
    struct sources s = gather_from(in, 0, defines_first(in) ? 1 : 0);
    s.count = is_family(in->op, "shfl") && s.count > 1 ? 1 : is_family(in->op, "wgmma") ? 0 : s.count;
    return s;
}

// Instructions that read memory, or that lanes execute together on checked operands: their results are defined.
static bool has_value(const struct ptx_instr *in)
{
    static const char *const families[] = {"ld",    "ldu",  "ldmatrix", "wmma.load", "atom",  "tex",   "tld4",
                                           "txq",   "suld", "suq",      "vote",      "match", "redux", "activemask",
                                           "elect", "bar",  "barrier",  "mbarrier",  "call",  "wgmma", NULL};
    return is_any(in, families);
}

static enum spread_rule rule_of(const struct ptx_instr *in)
{
    static const char *const merging[] = {"and", "or", "xor", "lop3", "prmt", "bfi", "shf", "slct", NULL};
    if (merges_predicates(in))
        return is_family(in->op, "and") ? SPREAD_AND : SPREAD_OR;
    bool packs = is_family(in->op, "mov") && in->count == 2 && in->operands[1].kind == PTX_OP_VECTOR;
    return is_family(in->op, "selp") ? SPREAD_SELECT : packs || is_any(in, merging) ? SPREAD_ALL : SPREAD_ANY;
}

// The registers from which `in` computes its result; for a shuffle only the value.
static struct sources sources_of(const struct ptx_instr *in)
{
    return has_value(in) ? (struct sources){.count = 0} : gather_from(in, 1, is_family(in->op, "shfl") ? 2 : in->count);
}

// ---- which registers have a shadow

static int undefined_source(const struct decoder *d, const struct ptx_instr *in)
{
    struct sources s = sources_of(in);
    int found = -1;
    bool all = rule_of(in) == SPREAD_ALL;
    for (uint32_t k = 0; k < s.count; k++) {
        bool undefined = d->shadow[s.reg[k]] != NONE;
        if (undefined && found < 0)
            found = s.reg[k];
        if (!undefined && all)
            return -1;
    }
    return found < 0 && in->guard >= 0 && d->shadow[in->guard] != NONE ? in->guard : found;
}

static void give_shadow(struct decoder *d, int reg, uint32_t read_at)
{
    d->shadow[reg] = d->code->reg_bytes;
    d->code->reg_bytes += 4;
    d->read_at[reg] = read_at;
}

// Any load from own memory may read back a value that was stored undefined.
static bool spread_to_loads(struct decoder *d)
{
    uint32_t read_at = NONE;
    bool stored = false, more = false;
    for (int i = 0; i < d->f->instr_count && !stored; i++) {
        struct sources s = gather_from(&d->f->instrs[i], 1, 2);
        for (uint32_t k = 0; k < s.count && is_own_access(&d->f->instrs[i], "st"); k++)
            if (d->shadow[s.reg[k]] != NONE) {
                stored = true;
                read_at = d->read_at[s.reg[k]];
            }
    }
    for (int i = 0; i < d->f->instr_count && stored; i++) {
        struct sources to = results_of(&d->f->instrs[i]);
        for (uint32_t k = 0; k < to.count && is_own_access(&d->f->instrs[i], "ld"); k++)
            if (d->shadow[to.reg[k]] == NONE) {
                give_shadow(d, to.reg[k], read_at);
                more = true;
            }
    }
    return more;
}

static bool spread_once(struct decoder *d)
{
    bool more = spread_to_loads(d);
    for (int i = 0; i < d->f->instr_count; i++) {
        const struct ptx_instr *in = &d->f->instrs[i];
        int from = undefined_source(d, in);
        struct sources to = results_of(in);
        for (uint32_t k = 0; k < to.count && from >= 0; k++)
            if (d->shadow[to.reg[k]] == NONE) {
                give_shadow(d, to.reg[k], d->read_at[from]);
                more = true;
            }
    }
    return more;
}

// The first instruction that names the register as a source.
static uint32_t first_read(const struct ptx_function *f, int reg)
{
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *in = &f->instrs[i];
        struct sources s = gather_from(in, defines_first(in) ? 1 : 0, in->count);
        for (uint32_t k = 0; k < s.count; k++)
            if (s.reg[k] == reg)
                return (uint32_t)i;
    }
    return NONE;
}

static bool returns_to_start(const struct cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t k = 0; k < cfg->blocks[b].next_count; k++)
            if (cfg->blocks[b].next[k] == 0)
                return true;
    return false;
}

static void shadow_unwritten(struct decoder *d, const bool *unwritten)
{
    for (int r = 0; r < d->f->reg_count; r++)
        if (unwritten[r]) {
            give_shadow(d, r, first_read(d->f, r));
            d->unwritten_count++;
        }
    d->first_shadow = d->code->reg_bytes - 4 * d->unwritten_count;
}

static void shadow_loads(struct decoder *d)
{
    for (int i = 0; i < d->f->instr_count && d->maybe_unused; i++) {
        struct sources to = results_of(&d->f->instrs[i]);
        for (uint32_t k = 0; k < to.count && d->maybe_unused[i]; k++)
            if (d->shadow[to.reg[k]] == NONE)
                give_shadow(d, to.reg[k], (uint32_t)i);
    }
}

void undefined_begin(struct decoder *d, const bool *unwritten)
{
    bool any = false;
    for (int r = 0; r < d->f->reg_count; r++)
        any |= unwritten[r];
    if (!settings()->check_init)
        return;
    any &= !returns_to_start(&d->cfg);
    d->maybe_unused = find_maybe_unused_loads(d->f, &d->cfg);
    if (!any && !d->maybe_unused)
        return;
    size_t bytes = (size_t)d->f->reg_count * sizeof(uint32_t);
    d->shadow = alloc_resize(NULL, (size_t)d->f->reg_count, sizeof(uint32_t));
    d->read_at = alloc_resize(NULL, (size_t)d->f->reg_count, sizeof(uint32_t));
    memset(d->shadow, 0xff, bytes);
    memset(d->read_at, 0xff, bytes);
    if (any)
        shadow_unwritten(d, unwritten);
    shadow_loads(d);
    while (spread_once(d))
        ;
    d->code->reg_bytes = align_up(d->code->reg_bytes, 64);
}

void undefined_end(struct decoder *d)
{
    free(d->shadow);
    free(d->read_at);
    free(d->maybe_unused);
}

// ---- what is emitted

static void enter(struct decoder *d)
{
    struct insn *in = emit_helper(d, RUN_undefine);
    in->dst = d->first_shadow;
    in->target = d->unwritten_count;
}

static void set_guard(struct decoder *d, struct insn *in)
{
    if (d->ptx->guard >= 0)
        in->guard = d->places[d->ptx->guard] | (d->ptx->guard_negated ? GUARD_NOT : 0);
}

// The register's shadow; a register that is always defined has an empty one.
static uint32_t shadow_place(struct decoder *d, int reg)
{
    return reg < 0 || d->shadow[reg] == NONE ? constant_row(d, 0, 0) : d->shadow[reg];
}

uint32_t undefined_place(const struct decoder *d, int reg)
{
    return d->shadow && reg >= 0 ? d->shadow[reg] : NONE;
}

static uint32_t add_shadows(struct decoder *d, const struct sources *s)
{
    uint32_t places[MAX_SOURCES];
    for (uint32_t k = 0; k < s->count; k++)
        places[k] = shadow_place(d, s->reg[k]);
    return add_list(d, places, s->count);
}

static void check(struct decoder *d, const struct sources *s, enum undefined_use use)
{
    uint32_t read_at = NONE;
    for (uint32_t k = 0; k < s->count; k++) {
        if (d->shadow[s->reg[k]] == NONE)
            return; // a part of it is defined
        read_at = d->read_at[s->reg[k]];
    }
    if (!s->count)
        return;
    uint32_t list = add_shadows(d, s);
    struct insn *in = emit_helper(d, RUN_check_defined);
    in->target = list;
    in->count = (uint8_t)s->count;
    in->sub = (uint8_t)use;
    in->imm = d->id;
    in->b = read_at == NONE ? NONE : d->first_id + read_at;
    if (use != USE_CONDITION)
        set_guard(d, in);
}

static void check_register(struct decoder *d, int reg, enum undefined_use use)
{
    struct sources one = {.reg = {reg}, .count = 1};
    if (reg >= 0)
        check(d, &one, use);
}

static void check_operands(struct decoder *d)
{
    static const char *const operands[] = {"atom", "red", "vote", "match", "redux", NULL};
    static const char *const acts[] = {"st", "red", "atom", "bra", "ret", "exit", "trap", "bar", "barrier", "cp", NULL};
    const struct ptx_instr *in = d->ptx;
    for (int k = 0; k < in->count; k++)
        if (in->operands[k].kind == PTX_OP_ADDRESS)
            check_register(d, in->operands[k].reg, USE_ADDRESS);
    if (in->guard >= 0 && is_any(in, acts))
        check_register(d, in->guard, USE_CONDITION);
    if (is_family(in->op, "brx") && in->operands[0].kind == PTX_OP_REG)
        check_register(d, in->operands[0].reg, USE_CONDITION);
    int value = is_family(in->op, "atom") ? 2 : 1;
    struct sources s = gather_from(in, value, value + 1);
    if (is_family(in->op, "st") || is_family(in->op, "stmatrix") || is_family(in->op, "wmma.store"))
        check(d, &s, USE_STORED);
    if (is_any(in, operands))
        check(d, &s, is_family(in->op, "atom") || is_family(in->op, "red") ? USE_ATOMIC : USE_OPERAND);
    for (uint32_t k = 0; k < s.count && is_family(in->op, "wgmma"); k++) // A; of D: exec/wgmma.c
        check_register(d, s.reg[k], USE_OPERAND);
}

// selp d, a, b, p: the shadows of all three, constants included.
static uint32_t add_selected(struct decoder *d)
{
    uint32_t places[3];
    for (int k = 0; k < 3; k++) {
        const struct ptx_operand *o = operand(d, k + 1);
        places[k] = shadow_place(d, o->kind == PTX_OP_REG ? o->reg : -1);
    }
    return add_list(d, places, 3);
}

// and.pred d, a, b: the shadows of a and b, and both.
static uint32_t add_merged(struct decoder *d)
{
    uint32_t places[4];
    for (int k = 0; k < 2; k++) {
        places[k] = shadow_place(d, operand(d, k + 1)->reg);
        places[k + 2] = source_predicate(d, operand(d, k + 1));
    }
    return add_list(d, places, 4);
}

static void spread(struct decoder *d, int to)
{
    bool defined = undefined_source(d, d->ptx) < 0;
    struct sources s = defined ? (struct sources){.count = 0} : sources_of(d->ptx);
    enum spread_rule rule = defined ? SPREAD_ANY : rule_of(d->ptx);
    uint32_t list = rule == SPREAD_SELECT                     ? add_selected(d)
                    : rule == SPREAD_AND || rule == SPREAD_OR ? add_merged(d)
                                                              : add_shadows(d, &s);
    uint32_t selects = rule == SPREAD_SELECT ? source_predicate(d, operand(d, 3)) : NONE;
    struct insn *in = emit_helper(d, RUN_spread);
    in->dst = d->shadow[to];
    in->target = list;
    in->count = (uint8_t)s.count;
    in->sub = (uint8_t)rule;
    in->a = d->ptx->guard >= 0 ? d->shadow[d->ptx->guard] : NONE;
    in->c = selects;
    set_guard(d, in);
}

uint32_t undefined_shuffle(struct decoder *d)
{
    struct sources to = d->shadow ? results_of(d->ptx) : (struct sources){.count = 0};
    struct sources from = sources_of(d->ptx);
    if (!to.count || d->shadow[to.reg[0]] == NONE)
        return 0;
    uint32_t places[2] = {d->shadow[to.reg[0]], shadow_place(d, from.count ? from.reg[0] : -1)};
    return add_list(d, places, 2);
}

void undefined_follow_load(struct decoder *d)
{
    struct sources to = d->shadow && is_own_access(d->ptx, "ld") ? results_of(d->ptx) : (struct sources){.count = 0};
    for (uint32_t k = 0; k < to.count && !d->failed; k++)
        if (d->shadow[to.reg[k]] != NONE)
            emit_helper(d, RUN_spread_load)->dst = d->shadow[to.reg[k]];
}

void undefined_follow(struct decoder *d)
{
    if (!d->shadow)
        return;
    struct sources to = results_of(d->ptx);
    uint32_t number = d->id - d->first_id;
    if (number == 0 && d->unwritten_count)
        enter(d);
    d->module->origins[d->id].maybe_unused = d->maybe_unused && d->maybe_unused[number];
    check_operands(d);
    for (uint32_t k = 0; k < to.count && !is_family(d->ptx->op, "shfl"); k++)
        if (d->shadow[to.reg[k]] != NONE)
            spread(d, to.reg[k]);
    if (is_own_access(d->ptx, "ld"))
        emit_helper(d, RUN_forget_load);
}
