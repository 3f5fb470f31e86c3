// Swaps the handlers of a module's instructions, so that tracing and estimating cost other launches nothing.
#include "exec/replace.h"

#include <stdlib.h>

#include "base/alloc.h"

struct replaced *handlers_replace(const struct module *m, handler *with)
{
    struct replaced *all = alloc_zeroed((size_t)m->ptx->func_count + 1, sizeof *all);
    for (int f = 0; f < m->ptx->func_count; f++) {
        struct replaced *r = &all[f];
        r->code = m->codes[f];
        if (!r->code)
            continue;
        r->run = alloc_zeroed(r->code->insn_count + 1, sizeof *r->run);
        for (uint32_t i = 0; i < r->code->insn_count; i++) {
            r->run[i] = r->code->insns[i].run;
            r->code->insns[i].run = with;
        }
    }
    return all;
}

void handlers_restore(const struct module *m, struct replaced *all)
{
    for (int f = 0; f < m->ptx->func_count; f++) {
        struct replaced *r = &all[f];
        for (uint32_t i = 0; r->code && i < r->code->insn_count; i++)
            r->code->insns[i].run = r->run[i];
        free(r->run);
    }
    free(all);
}
