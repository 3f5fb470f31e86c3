// Chooses the registers that a product may use while other instructions run, and emits a check before each instruction
// that names one. A kernel without such products pays nothing.
#include "decode/product_registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/decode.h"
#include "decode/families.h"
#include "decode/slots.h"
#include "report/settings.h"

void follow_begin(struct decoder *d)
{
    bool *followed =
        d->f->entry && (settings()->check_sync || settings()->check_race) ? followed_registers(d->f) : NULL;
    struct code *c = d->code;
    if (!followed)
        return;
    d->followed = alloc_resize(NULL, (size_t)d->f->reg_count + 1, sizeof *d->followed);
    c->followed = alloc_resize(NULL, (size_t)d->f->reg_count + 1, sizeof *c->followed);
    for (int r = 0; r < d->f->reg_count; r++) {
        d->followed[r] = followed[r] ? c->followed_count : NONE;
        if (followed[r])
            c->followed[c->followed_count++] = r;
    }
    free(followed);
}

#define MAX_TOUCHED 64 // tracked registers of one instruction; more are ignored

struct touched {
    const uint32_t *followed;
    uint32_t list[1 + MAX_TOUCHED];
};

static void touch(void *data, int reg, bool defines)
{
    struct touched *t = data;
    if (t->followed[reg] != NONE && t->list[0] < MAX_TOUCHED)
        t->list[++t->list[0]] = t->followed[reg] << TOUCH_BITS | (defines ? TOUCH_WRITES : TOUCH_READS);
}

// Emits the check. imm: the instruction; sub: whether it is a mov. If it moves a register, a and dst are the places.
void follow_registers(struct decoder *d)
{
    struct touched t = {.followed = d->followed};
    const struct ptx_operand *o = d->ptx->operands;
    if (!d->followed || accumulates(d->ptx))
        return;
    visit_instr(d->ptx, touch, &t);
    if (!t.list[0])
        return;
    uint32_t list = add_list(d, t.list, 1 + t.list[0]);
    struct insn *in = emit_helper(d, RUN_touch_registers);
    in->target = list;
    in->imm = d->id;
    in->sub = copies_register(d->ptx);
    if (in->sub && o[1].kind == PTX_OP_REG) {
        in->a = d->places[o[1].reg];
        in->dst = d->places[o[0].reg];
    }
    if (d->ptx->guard >= 0)
        in->guard = d->places[d->ptx->guard] | (d->ptx->guard_negated ? GUARD_NOT : 0);
}
