// Data and flags. A warp may wait for another one by polling a volatile word of shared memory, without a barrier. The
// polled value is only compared. A volatile load whose value is stored, sent to other lanes or used in an address reads
// data, and needs to be ordered like any other load.
#include "decode/flag_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/cfg.h"

// Marks the registers that o names; true: one was new.
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

bool names_any(const struct ptx_operand *o, const bool *registers)
{
    bool names = (o->kind == PTX_OP_REG || o->kind == PTX_OP_ADDRESS) && o->reg >= 0 && registers[o->reg];
    for (int i = 0; i < o->count; i++)
        names |= names_any(&o->list[i], registers);
    return names;
}

static bool is_any(const struct ptx_instr *in, const char *const *families)
{
    for (; *families; families++)
        if (is_family(in->op, *families))
            return true;
    return false;
}

// The first operand whose register the instruction uses as data: the address of a load, any operand of a store, any
// source if the result is data. in->count: none.
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

static bool is_strong_load(const struct ptx_instr *in)
{
    return is_family(in->op, "ld") &&
           (strstr(in->op, ".volatile") || strstr(in->op, ".relaxed") || strstr(in->op, ".acquire"));
}

bool *data_registers(const struct ptx_function *f)
{
    bool *data = NULL;
    for (int i = 0; i < f->instr_count && !data; i++)
        if (is_strong_load(&f->instrs[i]))
            data = alloc_zeroed((size_t)f->reg_count + 1, sizeof *data);
    for (bool more = data != NULL; more;) {
        more = false;
        for (int i = f->instr_count; i-- > 0;) // against the flow, so that one pass is usually enough
            for (int k = first_of_data(&f->instrs[i], data); k < f->instrs[i].count; k++)
                more |= mark(&f->instrs[i].operands[k], data);
    }
    return data;
}

// ---- loads that repeat until they return the expected value
//
// A load spins if a branch that depends on its value decides whether the load runs again: the value flows into the
// branch's predicate, and one path from the branch returns to the load before the paths join. A load of a descriptor
// with status and sum spins, and so does one of a plain flag; a load of the sum after the flag does not. A value that
// leaves the function, or passes through shared or local memory where it is not tracked, counts as spinning.

struct flow {
    const struct ptx_function *f;
    const struct cfg *cfg;
    bool *holds;   // per register: its value depends on the load's
    bool *reached; // per basic block, for search
    bool *later;   // per basic block: may run after the load
    int load;
    bool memory;   // values read from shared or local memory depend on it, too
    bool escapes;
};

static bool runs_later(const struct flow *w, int i)
{
    uint32_t block = w->cfg->block_of[i];
    return w->later[block] || (block == w->cfg->block_of[w->load] && i > w->load);
}

static bool uses(const struct flow *w, const struct ptx_instr *in)
{
    static const char *const stores[] = {"st", "red", NULL};
    bool any = in->guard >= 0 && w->holds[in->guard];
    for (int k = is_any(in, stores) ? 0 : 1; k < in->count; k++)
        any |= names_any(&in->operands[k], w->holds);
    return any || (w->memory && is_family(in->op, "ld") && (strstr(in->op, ".shared") || strstr(in->op, ".local")));
}

// Marks that the instruction's result depends on the load. True: this was not known.
static bool note_result(struct flow *w, const struct ptx_instr *in)
{
    if (is_family(in->op, "st")) {
        bool fresh = !w->memory && (strstr(in->op, ".shared") || strstr(in->op, ".local"));
        w->memory |= fresh;
        w->escapes |= strstr(in->op, ".param") != NULL;
        return fresh;
    }
    return in->count && !is_family(in->op, "red") && !is_family(in->op, "bra") && mark(&in->operands[0], w->holds);
}

// One pass over all instructions; true: another pass may find more. *spins: a branch that depends on the load decides
// whether the load's block runs.
static bool follow(struct flow *w, bool *spins)
{
    bool more = false;
    for (int i = 0; i < w->f->instr_count; i++) {
        const struct ptx_instr *in = &w->f->instrs[i];
        if (i == w->load || !runs_later(w, i) || !uses(w, in))
            continue;
        more |= note_result(w, in);
        if (!is_family(in->op, "bra"))
            continue;
        cfg_mark_decided(w->cfg, w->cfg->block_of[i], w->reached);
        *spins |= w->reached[w->cfg->block_of[w->load]];
        for (int k = 0; k < w->f->instr_count; k++) // its target depends on the load, too
            if (w->reached[w->cfg->block_of[k]] && k != w->load)
                more |= note_result(w, &w->f->instrs[k]);
    }
    return more;
}

bool load_spins(const struct ptx_function *f, const struct cfg *cfg, int load)
{
    struct flow w = {.f = f, .cfg = cfg, .load = load};
    const struct cfg_block *block = &cfg->blocks[cfg->block_of[load]];
    bool spins = false;
    w.holds = alloc_zeroed((size_t)f->reg_count + 1, sizeof *w.holds);
    w.reached = alloc_zeroed(cfg->count + 1, sizeof *w.reached);
    mark(&f->instrs[load].operands[0], w.holds);
    for (uint32_t i = 0; i < block->next_count; i++)
        cfg_reach(cfg, block->next[i], UINT32_MAX, w.reached);
    w.later = w.reached;
    w.reached = alloc_zeroed(cfg->count + 1, sizeof *w.reached);
    while (!spins && !w.escapes && follow(&w, &spins))
        ;
    free(w.holds);
    free(w.later);
    free(w.reached);
    return spins || w.escapes;
}
