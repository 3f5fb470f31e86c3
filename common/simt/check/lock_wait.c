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

static bool changes_address(const struct walk *w, const struct ptx_instr *in)
{
    return in->count && in->operands[0].kind == PTX_OP_REG && !is_family(in->op, "st") &&
           names_any(&in->operands[0], w->address);
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
