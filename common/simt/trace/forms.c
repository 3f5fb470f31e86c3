// The forms of a trace: opening their files and calling them.
#include "trace/forms.h"

#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "report/settings.h"

static struct {
    bool open;
    pid_t process;             // a child process inherits the files, but must not write them
    uint32_t events, findings; // findings of the launch that the text has written
    uint64_t launches_omitted;
    pthread_mutex_t lock; // guards text and Perfetto's file: a host thread makes calls while a launch is traced
} forms = {.lock = PTHREAD_MUTEX_INITIALIZER};

void forms_open(void)
{
    const struct settings *s = settings();
    if (forms.open)
        return;
    forms.open = true;
    forms.process = getpid();
    if (s->trace_page)
        page_open(s->trace_page);
    if (s->trace_perfetto)
        perfetto_open(s->trace_perfetto);
}

static bool is_ours(void)
{
    return forms.process == getpid();
}

void forms_launch(const struct recording *r)
{
    forms.events = forms.findings = 0;
    if (settings()->trace_text && is_ours())
        text_launch(settings()->trace_text, r);
}

void forms_events(const struct recording *r)
{
    FILE *text = settings()->trace_text;
    if (!text || !is_ours())
        return;
    pthread_mutex_lock(&forms.lock);
    for (; forms.events < r->events.count; forms.events++)
        text_event(text, r, forms.events);
    for (; forms.findings < r->findings.count; forms.findings++)
        text_finding(text, r, &r->findings.at[forms.findings]);
    pthread_mutex_unlock(&forms.lock);
}

void forms_launch_end(const struct recording *r)
{
    const struct settings *s = settings();
    if (!is_ours())
        return;
    forms_events(r);
    if (s->trace_text) {
        text_launch_end(s->trace_text, r);
        fflush(s->trace_text);
    }
    if (s->trace_page)
        page_launch(r);
    pthread_mutex_lock(&forms.lock);
    if (s->trace_perfetto)
        perfetto_launch(r);
    pthread_mutex_unlock(&forms.lock);
}

void forms_launch_omitted(void)
{
    const struct settings *s = settings();
    forms.launches_omitted++;
    if (s->trace_page && is_ours())
        page_omitted(forms.launches_omitted);
    if (s->trace_text && is_ours() && forms.launches_omitted == 1)
        fprintf(s->trace_text, "trace: the limit is reached: this launch and later ones are omitted\n");
}

void forms_call(const char *name, const char *words)
{
    const struct settings *s = settings();
    pthread_mutex_lock(&forms.lock);
    forms_open();
    if (s->trace_text && is_ours())
        fprintf(s->trace_text, "host: %s\n", words);
    if (s->trace_perfetto && is_ours())
        perfetto_call(name, words);
    pthread_mutex_unlock(&forms.lock);
}

void forms_end(void)
{
    if (settings()->trace_page && is_ours())
        page_end();
}

// ---- files that grow

void growing_more(struct growing *g)
{
    fseek(g->to, g->end, SEEK_SET);
    fputs(g->first ? "\n" : ",\n", g->to);
    g->first = false;
}

void growing_tail(struct growing *g, void (*write)(FILE *to))
{
    g->end = ftell(g->to);
    write(g->to);
    for (; ftell(g->to) >= 0 && ftell(g->to) < g->size; fputc(' ', g->to))
        ; // the old end was longer
    g->size = ftell(g->to);
    if (fflush(g->to) || ferror(g->to))
        complain_of_file("SIMT_TRACE", "a file could not be written in full; is the disk full?");
}

// ---- what is omitted

// Words for one or several omitted items.
static void describe_count(uint64_t n, uint64_t all, const char *one, const char *several, bool limit,
                           void (*see)(const char *sentence, void *data), void *data)
{
    const struct selection *s = &settings()->trace;
    char text[300], of[40] = "";
    if (!n)
        return;
    if (all)
        snprintf(of, sizeof of, " of %" PRIu64, all);
    int length = snprintf(text, sizeof text, "%" PRIu64 "%s %s", n, of, n == 1 ? one : several);
    if (limit)
        snprintf(text + length, sizeof text - (size_t)length,
                 " after the limit was reached (events:%" PRIu64 ", bytes:%" PRIu64 ")", s->events, s->bytes);
    see(text, data);
}

void omitted_each(const struct recording *r, void (*see)(const char *sentence, void *data), void *data)
{
    uint64_t blocks = r->launch->block_count;
    if (r->cut)
        see("the program ended while this launch ran", data);
    if (r->only_findings)
        see("this launch is not traced; only its findings are shown", data);
    else
        describe_count(r->blocks_not_selected, blocks, "blocks was not requested", "blocks were not requested", false,
                       see, data);
    describe_count(r->blocks_omitted, blocks, "blocks ran", "blocks ran", true, see, data);
    describe_count(blocks - executed_blocks(r->launch), blocks, "blocks did not run (SIMT_SAMPLE)",
                   "blocks did not run (SIMT_SAMPLE)", false, see, data);
    describe_count(r->events_omitted, 0, "event came", "events came", true, see, data);
    describe_count(r->findings_omitted, 0, "finding came after the first 200", "findings came after the first 200",
                   false, see, data);
}
