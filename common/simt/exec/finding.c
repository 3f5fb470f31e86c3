// Adds kernel, block and source lines to a check's finding, notifies the observers, and passes it to report/.
#include "exec/finding.h"

#include <stdio.h>
#include <unistd.h>

#include "report/settings.h"

enum { WORDS = 3000 + CALLS }; // characters of a finding

static bool is_observed(const struct launch *launch)
{
    for (uint32_t i = 0; i < launch->observers.count; i++)
        if (launch->observers.list[i]->finding)
            return true;
    return false;
}

// Formats the finding a second time, for observers.
__attribute__((format(printf, 4, 0))) static void observe(struct block *b, const struct finding *f, const char *where,
                                                          const char *format, va_list args)
{
    char words[WORDS], calls[CALLS];
    int n = vsnprintf(words, sizeof words, format, args);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof words ? (size_t)n : sizeof words - 1;
    finding_calls(f, calls);
    snprintf(words + length, sizeof words - length, "%s%s", where, calls);
    NOTIFY(b->launch, finding, b, f, words);
}

__attribute__((format(printf, 3, 0))) static void report_list(struct block *b, const struct finding *f,
                                                              const char *format, va_list args)
{
    char where[200];
    va_list again;
    if (!is_observed(b->launch) && finding_again(f))
        return;
    snprintf(where, sizeof where, "; %s of %s", block_name(b->launch, b->number), kernel_name(b->launch->code->name));
    va_copy(again, args);
    report_finding(f, where, format, args);
    if (is_observed(b->launch))
        observe(b, f, where, format, again);
    va_end(again);
}

static struct finding finding_of(const struct launch *launch, enum finding_kind kind, enum severity severity,
                                 uint32_t id, uint32_t other)
{
    const struct module *m = launch->module;
    return (struct finding){.kind = kind,
                            .severity = severity,
                            .module = m->ptx,
                            .at = instr_of(m, id),
                            .other = instr_of(m, other),
                            .detail = other < m->origin_count ? 0 : other};
}

bool report_again(const struct block *b, enum finding_kind kind, enum severity severity, uint32_t id, uint32_t other)
{
    const struct finding f = finding_of(b->launch, kind, severity, id, other);
    return !is_observed(b->launch) && finding_again(&f);
}

void report(struct block *b, enum finding_kind kind, enum severity severity, uint32_t id, uint32_t other,
            const char *format, ...)
{
    const struct finding f = finding_of(b->launch, kind, severity, id, other);
    va_list args;
    va_start(args, format);
    report_list(b, &f, format, args);
    va_end(args);
}

void report_launch(const struct launch *launch, enum finding_kind kind, enum severity severity, uint32_t id,
                   uint32_t other, const char *format, ...)
{
    const struct finding f = finding_of(launch, kind, severity, id, other);
    char where[200];
    va_list args;
    snprintf(where, sizeof where, "; %s", kernel_name(launch->code->name));
    va_start(args, format);
    report_finding(&f, where, format, args);
    va_end(args);
}

void report_scene(struct block *b, const struct scene *scene, enum finding_kind kind, enum severity severity,
                  uint32_t id, uint32_t other, const char *format, ...)
{
    struct finding f = finding_of(b->launch, kind, severity, id, other);
    va_list args;
    f.scene = scene;
    va_start(args, format);
    report_list(b, &f, format, args);
    va_end(args);
}

struct scene scene_of_lane(const struct warp *w, uint32_t lane)
{
    return (struct scene){.past.thread = NO_THREAD, .now = {w->block->number, w->index * LANES + lane, NULL}};
}

struct scene scene_of_access(const struct warp *w, const struct access *a, uint32_t lane)
{
    struct scene s = scene_of_lane(w, lane);
    s.now.access = access_word(a->kind);
    s.space = a->space;
    s.address = a->addr[lane];
    s.size = a->size;
    return s;
}

void fail_launch(struct launch *launch, int error)
{
    int none = 0;
    atomic_compare_exchange_strong(&launch->failed, &none, error);
}

// Runs last in the program: after its exit handlers, and after those of the machine that report.
static void __attribute__((destructor(101))) exit_with_findings(void)
{
    if (!findings_count() || !settings()->exit)
        return;
    fflush(NULL);
    _exit(settings()->exit);
}
