// Replaces all handlers of a module by one other handler for the duration of a launch.
#pragma once

#include "exec/machine.h"

struct replaced; // the original handlers

struct replaced *handlers_replace(const struct module *m, handler *with);
void handlers_restore(const struct module *m, struct replaced *r);

// The same for one function.
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
