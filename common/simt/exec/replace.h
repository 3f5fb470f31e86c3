// Replaces all handlers of a module by another one, for the time of a launch: what follows every instruction costs
// nothing where nothing does.
#pragma once

#include "exec/machine.h"

struct replaced; // the handlers that were there

struct replaced *handlers_replace(const struct module *m, handler *with);
void handlers_restore(const struct module *m, struct replaced *r);

// One function's.
struct replaced {
    struct code *code;
    handler **run; // by instruction
};

// What the instruction that w is at would have run.
static inline handler *replaced_handler(const struct replaced *r, const struct warp *w, const struct insn *in)
{
    const struct code *c = w->path->frame->code;
    const struct replaced *of = &r[c->ptx - c->module->ptx->funcs];
    return of->run[in - of->code->insns];
}
