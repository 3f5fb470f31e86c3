// Registers that depend on loads, by one rule: a result depends on a load if an operand does, or if the instruction is
// a load itself (load_dependence.h). Parameters and constants come from the host and are known.
#include "decode/load_dependence.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

// One search. loaded: the registers, and after them the variables of the function.
struct search {
    const struct ptx_function *f;
    bool *loaded;
    bool tickets; // tickets are known, and so are shared variables that hold nothing else
};

static bool names_loaded(const struct ptx_operand *o, const bool *loaded)
{
    bool holds = (o->kind == PTX_OP_REG || o->kind == PTX_OP_ADDRESS) && o->reg >= 0 && loaded[o->reg];
    for (int i = 0; i < o->count; i++)
        holds |= names_loaded(&o->list[i], loaded);
    return holds;
}

static bool mark_register(bool *loaded)
{
    bool fresh = !*loaded;
    *loaded = true;
    return fresh;
}

static bool mark(const struct ptx_operand *o, bool *loaded)
{
    bool fresh = o->kind == PTX_OP_REG && o->reg >= 0 && mark_register(&loaded[o->reg]);
    for (int i = 0; i < o->count; i++)
        fresh |= mark(&o->list[i], loaded);
    return fresh;
}

static bool is_load(const struct ptx_instr *i)
{
    static const char *const loads[] = {"ld", "ldu", "atom", "tex", "tld4", "suld", "call"};
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        if (is_family(i->op, loads[k]))
            return !is_family(i->op, "ld.param") && !is_family(i->op, "ld.const");
    return false;
}

static bool takes_ticket(const struct ptx_instr *i)
{
    bool by_one = i->count == 3 && i->operands[2].kind == PTX_OP_INT && i->operands[2].value == 1;
    return is_family(i->op, "atom") && (strstr(i->op, ".inc.") || (strstr(i->op, ".add.") && by_one));
}

// The number of the function's variable that the operand names; -1: none.
static int variable_of(const struct search *s, const struct ptx_operand *o)
{
    for (int v = 0; v < s->f->var_count && o->symbol; v++)
        if (!strcmp(s->f->vars[v].name, o->symbol))
            return v;
    return -1;
}

// A shared variable that is only stored and loaded by its name, as a block's ticket is: the operand with its address,
// and the variable's mark; NULL: another access.
static bool *variable_accessed(const struct search *s, const struct ptx_instr *i, int operand)
{
    int v = s->tickets && i->count > operand && strstr(i->op, ".shared") ? variable_of(s, &i->operands[operand]) : -1;
    return v >= 0 && i->operands[operand].kind == PTX_OP_ADDRESS && i->operands[operand].reg < 0
               ? &s->loaded[s->f->reg_count + v]
               : NULL;
}

static bool loads(const struct search *s, const struct ptx_instr *i)
{
    const bool *variable = is_family(i->op, "ld") ? variable_accessed(s, i, 1) : NULL;
    return variable ? *variable : is_load(i) && !(s->tickets && takes_ticket(i));
}

static bool spread(const struct search *s, const struct ptx_instr *i)
{
    bool from = loads(s, i), fresh = false;
    bool *stored = is_family(i->op, "st") ? variable_accessed(s, i, 0) : NULL;
    for (int k = 1; k < i->count && !from; k++)
        from = names_loaded(&i->operands[k], s->loaded);
    for (int k = 0; k < i->count && s->tickets && !stored && !is_family(i->op, "ld"); k++)
        if (variable_of(s, &i->operands[k]) >= 0) // its address is taken
            fresh |= mark_register(&s->loaded[s->f->reg_count + variable_of(s, &i->operands[k])]);
    if (from && stored)
        return mark_register(stored);
    return (from && i->count > 0 && mark(&i->operands[0], s->loaded)) | fresh;
}

static bool depends_on_loads(const struct ptx_function *f, const struct ptx_instr *i, bool tickets)
{
    bool *loaded = alloc_zeroed((size_t)(f->reg_count + f->var_count) + 1, sizeof *loaded), fresh = true, found = false;
    struct search s = {f, loaded, tickets};
    while (fresh) {
        fresh = false;
        for (int k = 0; k < f->instr_count; k++)
            fresh |= spread(&s, &f->instrs[k]);
    }
    for (int k = 0; k < i->count; k++)
        found |= i->operands[k].kind == PTX_OP_ADDRESS && names_loaded(&i->operands[k], loaded);
    free(loaded);
    return found;
}

bool address_is_loaded(struct origin *o)
{
    enum { KNOWN = 1, LOADED };
    uint8_t answer = __atomic_load_n(&o->address, __ATOMIC_RELAXED);
    if (!answer) {
        answer = depends_on_loads(o->code->ptx, o->ptx, false) ? LOADED : KNOWN;
        __atomic_store_n(&o->address, answer, __ATOMIC_RELAXED);
    }
    return answer == LOADED;
}

bool address_is_unknown(struct origin *o)
{
    return address_is_loaded(o) && depends_on_loads(o->code->ptx, o->ptx, true);
}
