// Follows the paths of a function from an atomic back to it.
#include "check/lock_wait.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/cfg.h"
#include "decode/flag_load.h"

struct walk {
    const struct ptx_function *f;
    const struct cfg *cfg;
    int atomic;
    bool *address; // per register: the atomic's address needs it
    bool *seen;    // per basic block
};

static bool is_store(const struct ptx_instr *in)
{
    bool local = strstr(in->op, ".local") || strstr(in->op, ".param");
    return (is_family(in->op, "st") && !local) || is_family(in->op, "red") || is_family(in->op, "atom") ||
           is_family(in->op, "call");
}

static bool sets_register(const struct ptx_instr *in)
{
    return in->count && in->operands[0].kind == PTX_OP_REG && !is_family(in->op, "st");
}

static bool is_arithmetic(const struct ptx_instr *in)
{
    static const char *const families[] = {"mov", "add", "sub", "mul", "mad", "shl", "cvt", "cvta"};
    bool is = is_family(in->op, "ld") && strstr(in->op, ".param");
    for (uint32_t i = 0; i < sizeof families / sizeof *families; i++)
        is |= is_family(in->op, families[i]);
    return is;
}

#define DEEP 8 // instructions in a row that compute an address

// Whether the register has one value only: one instruction sets it, from constants and from such registers. Compilers
// compute an address again in the loop, &locks[1] for instance.
static bool is_invariant(const struct walk *w, int reg, int depth)
{
    const struct ptx_instr *by = NULL;
    bool once = depth > 0;
    for (int i = 0; i < w->f->instr_count; i++)
        if (sets_register(&w->f->instrs[i]) && w->f->instrs[i].operands[0].reg == reg) {
            once &= !by;
            by = &w->f->instrs[i];
        }
    once &= by && is_arithmetic(by);
    for (int k = 1; once && k < by->count; k++)
        once = by->operands[k].kind != PTX_OP_REG || is_invariant(w, by->operands[k].reg, depth - 1);
    return once;
}

static bool changes_address(const struct walk *w, const struct ptx_instr *in)
{
    return sets_register(in) && names_any(&in->operands[0], w->address) && !is_invariant(w, in->operands[0].reg, DEEP);
}

// Whether a path from the instruction to the end of its block stores nothing. *back: it passes the atomic.
static bool passes(const struct walk *w, uint32_t from, uint32_t last, bool *back)
{
    for (uint32_t i = from; i < last; i++) {
        const struct ptx_instr *in = &w->f->instrs[i];
        if ((int)i == w->atomic) {
            *back = true;
            return false;
        }
        if (is_store(in) || changes_address(w, in))
            return false;
    }
    return true;
}

static bool returns(struct walk *w, uint32_t block, uint32_t from)
{
    const struct cfg_block *b = &w->cfg->blocks[block];
    bool back = false;
    if (!passes(w, from, b->last, &back))
        return back;
    for (uint32_t i = 0; i < b->next_count && !back; i++) {
        uint32_t next = b->next[i];
        if (next >= w->cfg->count || w->seen[next])
            continue;
        w->seen[next] = true;
        back = returns(w, next, w->cfg->blocks[next].first);
    }
    return back;
}

bool lock_waits(const struct origin *atomic, const struct module *m)
{
    struct cfg cfg;
    char error[200];
    const struct ptx_function *f = atomic->code->ptx;
    struct walk w = {.f = f, .cfg = &cfg, .atomic = (int)(atomic->ptx - f->instrs)};
    if (!atomic->spins || !cfg_build(&cfg, m->ptx, f, error, sizeof error))
        return false;
    w.address = alloc_zeroed((size_t)f->reg_count + 1, sizeof *w.address);
    w.seen = alloc_zeroed(cfg.count + 1, sizeof *w.seen);
    for (int k = 0; k < atomic->ptx->count; k++)
        if (atomic->ptx->operands[k].kind == PTX_OP_ADDRESS && atomic->ptx->operands[k].reg >= 0)
            w.address[atomic->ptx->operands[k].reg] = true;
    bool waits = returns(&w, cfg.block_of[w.atomic], (uint32_t)w.atomic + 1);
    free(w.address);
    free(w.seen);
    cfg_free(&cfg);
    return waits;
}
