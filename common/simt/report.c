// Findings: printing, counting, remembering what was already said.
#include "report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "module.h"

#define TEXT 2800 // characters of a finding: it names up to two files by their paths
#define SHOWN 25  // lines at most between two resets
#define REMEMBERED 1024

static struct {
    pthread_mutex_t lock;
    uint64_t count, shown, silenced;
    struct said {
        const void *module;
        struct ptx_loc at, other;
        uint32_t kind, detail;
    } said[REMEMBERED];
    uint32_t said_count;
} findings = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Whether this is the first finding of its kind at these places.
static bool is_new(const struct said *what)
{
    for (uint32_t i = 0; i < findings.said_count; i++)
        if (!memcmp(&findings.said[i], what, sizeof *what))
            return false;
    if (findings.said_count < REMEMBERED)
        findings.said[findings.said_count++] = *what;
    return true;
}

static void show(enum severity severity, const char *text, const char *where)
{
    static const char *const words[] = {"information", "warning", "error"};
    if (findings.shown++ < SHOWN)
        fprintf(stderr, "simt: %s: %s%s\n", words[severity], text, where);
    else if (!findings.silenced++)
        fprintf(stderr, "simt: more findings follow; they are counted, not shown\n");
}

// The source line of an instruction; without one, the line of the PTX text.
static struct ptx_loc loc_of(const struct module *m, uint32_t id)
{
    if (id >= m->origin_count)
        return (struct ptx_loc){0, 0};
    const struct ptx_instr *in = m->origins[id].ptx;
    return in->loc.file ? in->loc : (struct ptx_loc){-1, in->line};
}

void report(struct block *b, enum finding_kind kind, enum severity severity, uint32_t id, uint32_t other,
            const char *format, ...)
{
    char text[TEXT], where[200];
    const struct module *m = b->launch->module;
    const struct said what = {m, loc_of(m, id), loc_of(m, other), kind * 4 + severity,
                              other < m->origin_count ? 0 : other};
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(where, sizeof where, "; %s of %s", block_name(b->launch, b->number), kernel_name(b->launch->code->name));
    pthread_mutex_lock(&findings.lock);
    findings.count += severity != INFORMATION;
    if (is_new(&what))
        show(severity, text, where);
    pthread_mutex_unlock(&findings.lock);
}

void report_between(const struct module *past, uint32_t past_id, const struct module *now, uint32_t id,
                    enum severity severity, const char *format, ...)
{
    char text[TEXT];
    const struct ptx_loc none = {0, 0};
    const struct said what = {now ? now : past, now ? loc_of(now, id) : none, past ? loc_of(past, past_id) : none,
                              FINDING_STREAMS * 4 + severity, 0};
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&findings.lock);
    findings.count += severity != INFORMATION;
    if (is_new(&what))
        show(severity, text, "");
    pthread_mutex_unlock(&findings.lock);
}

void report_program(const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&findings.lock);
    findings.count++;
    show(ERROR, text, "");
    pthread_mutex_unlock(&findings.lock);
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "simt: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
}

void fail_launch(struct launch *launch, int error)
{
    int none = 0;
    atomic_compare_exchange_strong(&launch->failed, &none, error);
}

static char *next_name(void)
{
    static _Thread_local char names[4][48];
    static _Thread_local unsigned turn;
    return names[turn++ % 4];
}

static const char *place(const char *word, const uint32_t dim[3], uint64_t n)
{
    char *out = next_name();
    if (dim[1] == 1 && dim[2] == 1)
        snprintf(out, 48, "%s %llu", word, (unsigned long long)n);
    else
        snprintf(out, 48, "%s (%llu,%llu,%llu)", word, (unsigned long long)(n % dim[0]),
                 (unsigned long long)(n / dim[0] % dim[1]), (unsigned long long)(n / dim[0] / dim[1]));
    return out;
}

const char *thread_name(const struct block *b, uint32_t thread)
{
    return place("thread", b->launch->dim, thread);
}

const char *block_name(const struct launch *launch, uint64_t number)
{
    return place("block", launch->grid, number);
}

void finding_of_the_host(void)
{
    __atomic_add_fetch(&findings.count, 1, __ATOMIC_RELAXED);
}

uint64_t findings_count(void)
{
    pthread_mutex_lock(&findings.lock);
    uint64_t n = findings.count;
    pthread_mutex_unlock(&findings.lock);
    return n;
}

void findings_reset(void)
{
    pthread_mutex_lock(&findings.lock);
    uint32_t kept = 0; // what is only information is said once in a program
    for (uint32_t i = 0; i < findings.said_count; i++)
        if (findings.said[i].kind % 4 == INFORMATION)
            findings.said[kept++] = findings.said[i];
    findings.count = findings.shown = findings.silenced = 0;
    findings.said_count = kept;
    pthread_mutex_unlock(&findings.lock);
}

void findings_forget(const struct module *m)
{
    pthread_mutex_lock(&findings.lock);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < findings.said_count; i++)
        if (findings.said[i].module != m)
            findings.said[kept++] = findings.said[i];
    findings.said_count = kept;
    pthread_mutex_unlock(&findings.lock);
}
