// The forms of a trace: opening and driving them.
#include "trace/forms.h"

#include <inttypes.h>
#include <unistd.h>

#include "report/settings.h"

static struct {
    bool open;
    pid_t process; // a child of the program has our files, but they are not its own
    uint32_t events, findings; // of the launch, that text has written
    uint64_t launches_left_out;
} forms;

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
    for (; forms.events < r->events.count; forms.events++)
        text_event(text, r, forms.events);
    for (; forms.findings < r->findings.count; forms.findings++)
        text_finding(text, r, &r->findings.at[forms.findings]);
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
    if (s->trace_perfetto)
        perfetto_launch(r);
}

void forms_launch_left_out(void)
{
    const struct settings *s = settings();
    forms.launches_left_out++;
    if (s->trace_page && is_ours())
        page_left_out(forms.launches_left_out);
    if (s->trace_text && is_ours() && forms.launches_left_out == 1)
        fprintf(s->trace_text,
                "trace: the limit is reached: this launch and later ones are left out\n");
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
        ; // it was longer
    g->size = ftell(g->to);
    if (fflush(g->to) || ferror(g->to))
        complain("SIMT_TRACE: a file could not be written in full; is the disk full?");
}

// ---- what is left out

void left_out_each(const struct recording *r, void (*see)(const char *sentence, void *data),
                   void *data)
{
    char text[200];
    const struct selection *s = &settings()->trace;
    const struct {
        uint64_t n;
        const char *what;
    } all[] = {{r->blocks_not_asked, "blocks ran that were not asked for"},
               {r->blocks_left_out, "blocks ran after the limit was reached"},
               {r->launch->block_count - r->launch->run_count, "blocks did not run (SIMT_SAMPLE)"},
               {r->events_left_out, "events came after the limit was reached"},
               {r->findings_left_out, "findings came after the first 200"}};
    if (r->cut)
        see("the program ended while this launch ran", data);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool limit = i == 1 || i == 3;
        if (!all[i].n)
            continue;
        int n = snprintf(text, sizeof text, "%" PRIu64 " %s", all[i].n, all[i].what);
        if (limit)
            snprintf(text + n, sizeof text - (size_t)n, " (events:%" PRIu64 ", bytes:%" PRIu64 ")",
                     s->events, s->bytes);
        see(text, data);
    }
}
