// Registers that depend on loads, by one rule: a result depends on a load if an operand does, or if the instruction is
// a load itself (load_dependence.h). Parameters and constants come from the host and are known.
#include "decode/load_dependence.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static bool names_loaded(const struct ptx_operand *o, const bool *loaded)
{
    bool holds = (o->kind == PTX_OP_REG || o->kind == PTX_OP_ADDRESS) && o->reg >= 0 && loaded[o->reg];
    for (int i = 0; i < o->count; i++)
        holds |= names_loaded(&o->list[i], loaded);
    return holds;
}

static bool mark(const struct ptx_operand *o, bool *loaded)
{
    bool fresh = o->kind == PTX_OP_REG && o->reg >= 0 && !loaded[o->reg];
    if (fresh)
        loaded[o->reg] = true;
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

static bool spread(const struct ptx_instr *i, bool *loaded)
{
    bool from = is_load(i);
    for (int k = 1; k < i->count && !from; k++)
        from = names_loaded(&i->operands[k], loaded);
    return from && i->count > 0 && mark(&i->operands[0], loaded);
}

static bool depends_on_loads(const struct ptx_function *f, const struct ptx_instr *i)
{
    bool *loaded = alloc_zeroed((size_t)f->reg_count + 1, sizeof *loaded), fresh = true, found = false;
    while (fresh) {
        fresh = false;
        for (int k = 0; k < f->instr_count; k++)
            fresh |= spread(&f->instrs[k], loaded);
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
        answer = depends_on_loads(o->code->ptx, o->ptx) ? LOADED : KNOWN;
        __atomic_store_n(&o->address, answer, __ATOMIC_RELAXED);
    }
    return answer == LOADED;
}
