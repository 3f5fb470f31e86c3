// Findings: printing and counting them, each only once.
#include "report/report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/host_line.h"
#include "report/names.h"
#include "plural.h"
#include "report/sarif.h"
#include "report/topics.h"

#define TEXT 2800 // characters of a finding, which may contain two paths
#define SHOWN 25  // maximum of lines between two resets
#define REMEMBERED 1024

static struct {
    pthread_mutex_t lock;
    uint64_t count, shown, silenced;
    struct said {
        const struct ptx_module *module;
        struct ptx_loc at, other;
        uint32_t kind, detail;
    } said[REMEMBERED];
    uint32_t said_count;
} findings = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Whether a finding of its kind at these places has been printed.
static bool is_said(const struct said *what)
{
    for (uint32_t i = 0; i < findings.said_count; i++)
        if (!memcmp(&findings.said[i], what, sizeof *what))
            return true;
    return false;
}

static void show(enum severity severity, const char *text, const char *where)
{
    static const char *const words[] = {"information", "warning", "error"};
    if (findings.shown++ >= SHOWN) {
        if (!findings.silenced++)
            fprintf(stderr, "simt: more findings follow; they are counted, not shown\n");
        return;
    }
    fprintf(stderr, "simt: %s: %s%s\n", words[severity], text, where);
    if (severity != INFORMATION)
        topic_explain(text);
}

// The source line of an instruction; without one, the line of the PTX text.
static struct ptx_loc loc_of(const struct ptx_instr *in)
{
    if (!in)
        return (struct ptx_loc){0, 0};
    return in->loc.file ? in->loc : (struct ptx_loc){-1, in->line};
}

// Appends "; tile.h:12 was called at tile.h:30, and that at sum.cu:40" to text, unless it holds that.
static void add_call(const struct ptx_module *m, const struct ptx_instr *in, char text[CALLS])
{
    char call[CALLS / 2];
    size_t length = strlen(text), own;
    if (!m || !in || !in->call)
        return;
    snprintf(call, sizeof call, "; %s was called at %s", place_name(m, in->loc), place_name(m, in->call->at));
    for (const struct ptx_call *c = in->call->outer; c && (own = strlen(call)) < sizeof call - 1; c = c->outer)
        snprintf(call + own, sizeof call - own, ", and that at %s", place_name(m, c->at));
    if (!strstr(text, call))
        snprintf(text + length, CALLS - length, "%s", call);
}

void finding_calls(const struct finding *f, char out[CALLS])
{
    out[0] = 0;
    add_call(f->module, f->at, out);
    add_call(f->other_module ? f->other_module : f->module, f->other, out);
}

static const char *level_of(enum severity severity)
{
    return severity == ERROR ? "error" : severity == WARNING ? "warning" : "note";
}

static void record(const struct finding *f, const char *text, const char *where)
{
    static const char *const rules[] = {"memory", "init", "sync", "race", "streams"};
    sarif_add(&(struct sarif_result){.rule = rules[f->kind],
                                     .level = level_of(f->severity),
                                     .text = text,
                                     .where = where,
                                     .at = {f->module, f->at},
                                     .other = {f->other_module ? f->other_module : f->module, f->other},
                                     .detail = f->detail});
}

static struct said said_of(const struct finding *f)
{
    return (struct said){f->module, loc_of(f->at), loc_of(f->other), f->kind * 4 + f->severity, f->detail};
}

bool finding_again(const struct finding *f)
{
    const struct said what = said_of(f);
    pthread_mutex_lock(&findings.lock);
    bool said = is_said(&what);
    findings.count += said && f->severity != INFORMATION;
    pthread_mutex_unlock(&findings.lock);
    return said;
}

void report_finding(const struct finding *f, const char *where, const char *format, va_list args)
{
    char text[TEXT], calls[CALLS], behind[CALLS + 300];
    const struct said what = said_of(f);
    vsnprintf(text, sizeof text, format, args);
    correct_plurals(text);
    finding_calls(f, calls); // last, since args may hold names that later calls overwrite
    snprintf(behind, sizeof behind, "%s%s", where, calls);
    pthread_mutex_lock(&findings.lock);
    findings.count += f->severity != INFORMATION;
    if (!is_said(&what)) {
        if (findings.said_count < REMEMBERED)
            findings.said[findings.said_count++] = what;
        show(f->severity, text, behind);
        record(f, text, behind);
    }
    pthread_mutex_unlock(&findings.lock);
}

static _Thread_local uint64_t complaints; // and reports about the program

static void add_report(enum severity severity, const char *text, const char *where)
{
    complaints++;
    pthread_mutex_lock(&findings.lock);
    findings.count++;
    show(severity, text, where);
    sarif_add(&(struct sarif_result){.rule = "host", .level = level_of(severity), .text = text, .where = where});
    pthread_mutex_unlock(&findings.lock);
}

void report_program(enum severity severity, const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    correct_plurals(text);
    va_end(args);
    add_report(severity, text, host_called_at());
}

void report_at_end(const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add_report(ERROR, text, "");
}

void complain(const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    correct_plurals(text);
    va_end(args);
    const char *where = host_called_at();
    complaints++;
    fprintf(stderr, "simt: %s%s\n", text, where);
    sarif_add(&(struct sarif_result){.rule = "call", .level = "error", .text = text, .where = where});
}

uint64_t complaints_so_far(void)
{
    return complaints;
}

void complain_of_file(const char *variable, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "simt: %s: ", variable);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
}

void record_finding_of_the_host(const char *line)
{
    static const char begin[] = "simt: error: ";
    char text[TEXT];
    size_t skip = strncmp(line, begin, strlen(begin)) ? 0 : strlen(begin);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line + skip, "\n"), line + skip);
    sarif_add(&(struct sarif_result){.rule = "host", .level = "error", .text = text, .where = ""});
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
    uint32_t kept = 0; // information is printed once per program
    for (uint32_t i = 0; i < findings.said_count; i++)
        if (findings.said[i].kind % 4 == INFORMATION)
            findings.said[kept++] = findings.said[i];
    findings.count = findings.shown = findings.silenced = 0;
    findings.said_count = kept;
    pthread_mutex_unlock(&findings.lock);
}

void findings_forget(const struct ptx_module *m)
{
    pthread_mutex_lock(&findings.lock);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < findings.said_count; i++)
        if (findings.said[i].module != m)
            findings.said[kept++] = findings.said[i];
    findings.said_count = kept;
    pthread_mutex_unlock(&findings.lock);
}
