// Data and flags. A warp may wait for another one by a volatile word of shared memory: it reads the word until it
// likes what it reads, and no barrier stands between. What it reads so goes into comparisons and nowhere else. A
// volatile load whose value is stored, sent to other lanes, or used in an address reads data, and wants an order as any
// other does.
#include "decode/flag_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/cfg.h"

// Marks the registers that o names; says whether one was new.
static bool mark(const struct ptx_operand *o, bool *data)
{
    bool fresh = false;
    if ((o->kind == PTX_OP_REG || o->kind == PTX_OP_ADDRESS) && o->reg >= 0 && !data[o->reg])
        data[o->reg] = fresh = true;
    for (int i = 0; i < o->count; i++)
        fresh |= mark(&o->list[i], data);
    return fresh;
}

bool data_in(const struct ptx_operand *o, const bool *data)
{
    bool holds = o->kind == PTX_OP_REG && data[o->reg];
    for (int i = 0; i < o->count; i++)
        holds |= data_in(&o->list[i], data);
    return holds;
}

static bool is_any(const struct ptx_instr *in, const char *const *families)
{
    for (; *families; families++)
        if (is_family(in->op, *families))
            return true;
    return false;
}

// The first operand whose register the instruction takes for data, given what its result is: the addresses of loads,
// all of a store, what leads to data. in->count: none.
static int first_of_data(const struct ptx_instr *in, const bool *data)
{
    static const char *const sinks[] = {"st", "red", "cp", "call", NULL};
    static const char *const passes[] = {"ld", "atom", "shfl", NULL};
    static const char *const ends[] = {"setp", "bra", "brx", "bar", "barrier", "vote", NULL};
    if (is_any(in, sinks))
        return 0;
    if (is_any(in, passes))
        return 1;
    if (!in->count || is_any(in, ends))
        return in->count;
    return data_in(&in->operands[0], data) ? 1 : in->count;
}

bool *data_registers(const struct ptx_function *f)
{
    bool *data = NULL;
    for (int i = 0; i < f->instr_count && !data; i++)
        if (is_family(f->instrs[i].op, "ld") && strstr(f->instrs[i].op, ".volatile"))
            data = alloc_zeroed((size_t)f->reg_count + 1, sizeof *data);
    for (bool more = data != NULL; more;) {
        more = false;
        for (int i = f->instr_count; i-- > 0;) // against the flow, so that one round does for most
            for (int k = first_of_data(&f->instrs[i], data); k < f->instrs[i].count; k++)
                more |= mark(&f->instrs[i].operands[k], data);
    }
    return data;
}
