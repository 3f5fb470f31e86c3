// Replaces all handlers of a module by another one, for the time of a launch: following every instruction costs nothing
// when it is off.
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

// The original handler of w's current instruction.
static inline handler *replaced_handler(const struct replaced *r, const struct warp *w, const struct insn *in)
{
    const struct code *c = w->path->frame->code;
    const struct replaced *of = &r[c->ptx - c->module->ptx->funcs];
    return of->run[in - of->code->insns];
}
