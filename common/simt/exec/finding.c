// Findings about running code (finding.h).
#include "exec/finding.h"

#include <stdio.h>

void report(struct block *b, enum finding_kind kind, enum severity severity, uint32_t id, uint32_t other,
            const char *format, ...)
{
    const struct module *m = b->launch->module;
    const struct finding f = {.kind = kind,
                              .severity = severity,
                              .module = m->ptx,
                              .at = instr_of(m, id),
                              .other = instr_of(m, other),
                              .detail = other < m->origin_count ? 0 : other};
    char where[200];
    va_list args;
    snprintf(where, sizeof where, "; %s of %s", block_name(b->launch, b->number), kernel_name(b->launch->code->name));
    va_start(args, format);
    report_finding(&f, where, format, args);
    va_end(args);
}

void fail_launch(struct launch *launch, int error)
{
    int none = 0;
    atomic_compare_exchange_strong(&launch->failed, &none, error);
}
