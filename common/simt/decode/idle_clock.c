// Clocks of polling loops. libcu++ polls with a backoff: the time waited decides how long the thread sleeps.
//
//     do { slept = globaltimer - begin; if (slept > ...) nanosleep(slept / 4); } while (!test());
//
// Such a clock is idle: whatever its value, the thread reads and writes the same. The value flows only into arithmetic,
// nanosleep and branches, and each such branch controls nothing else until its paths reconverge. A clock that can end a
// loop is not idle: the loop's branch decides whether it runs again.
#include "decode/idle_clock.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "decode/flag_load.h"

struct clock_flow {
    const struct ptx_function *f;
    const struct cfg *cfg;
    bool *holds;   // per register: its value depends on the clock
    bool *decided; // per basic block: a branch that depends on the clock decides whether it runs
    bool *reached; // per basic block, for follow_branch
    bool more;     // another pass may find more
};

// Whether it is pure arithmetic: it only writes its first operand.
static bool is_plain(const struct ptx_instr *in)
{
    static const char *const families[] = {"mov",  "add", "sub", "mul",   "mad",  "div", "rem",  "min",
                                           "max",  "abs", "neg", "and",   "or",   "xor", "not",  "shl",
                                           "shr",  "shf", "cvt", "setp",  "selp", "set", "slct", "lop3",
                                           "prmt", "bfe", "bfi", "mul24", "fma",  "clz", "popc"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (is_family(in->op, families[i]))
            return in->count > 0;
    return false;
}

static void set(struct clock_flow *w, bool *flag)
{
    w->more |= !*flag;
    *flag = true;
}

// False: the branch's paths do not reconverge, or it decides whether it runs again.
static bool follow_branch(struct clock_flow *w, uint32_t b)
{
    const struct cfg_block *block = &w->cfg->blocks[b];
    if (block->next_count < 2)
        return true;
    cfg_mark_decided(w->cfg, b, w->reached);
    for (uint32_t i = 0; i < w->cfg->count; i++)
        if (w->reached[i])
            set(w, &w->decided[i]);
    return block->post_dominator != UINT32_MAX && !w->reached[b];
}

static void hold(struct clock_flow *w, const struct ptx_operand *o)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0)
        set(w, &w->holds[o->reg]);
    for (int i = 0; i < o->count; i++)
        hold(w, &o->list[i]);
}

static bool depends(const struct clock_flow *w, const struct ptx_instr *in, uint32_t block)
{
    bool any = w->decided[block] || (in->guard >= 0 && w->holds[in->guard]);
    for (int k = is_plain(in) ? 1 : 0; k < in->count; k++)
        any |= names_any(&in->operands[k], w->holds);
    return any;
}

// One pass over all instructions. False: one of them does more than sleep.
static bool follow(struct clock_flow *w)
{
    for (int i = 0; i < w->f->instr_count; i++) {
        const struct ptx_instr *in = &w->f->instrs[i];
        uint32_t block = w->cfg->block_of[i];
        if (!depends(w, in, block) || is_family(in->op, "nanosleep"))
            continue;
        if (is_plain(in))
            hold(w, &in->operands[0]);
        else if (!is_family(in->op, "bra") || !follow_branch(w, block))
            return false;
    }
    return true;
}

bool clock_is_idle(const struct ptx_function *f, const struct cfg *cfg, int at)
{
    struct clock_flow w = {.f = f, .cfg = cfg, .more = true};
    bool idle = is_plain(&f->instrs[at]);
    w.holds = alloc_zeroed((size_t)f->reg_count + 1, sizeof *w.holds);
    w.decided = alloc_zeroed(cfg->count + 1, sizeof *w.decided);
    w.reached = alloc_zeroed(cfg->count + 1, sizeof *w.reached);
    if (idle)
        hold(&w, &f->instrs[at].operands[0]);
    while (idle && w.more) {
        w.more = false;
        idle = follow(&w);
    }
    free(w.holds);
    free(w.decided);
    free(w.reached);
    return idle;
}
