// The page of one student: a table of the steps and, for each step not passed, the findings, the last lines of its log,
// the x-ray of the first finding, and a hint.
#include "export/pages.h"
#include "report/page.h"
#include "course/hints.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOG = 8000 }; // bytes of a log that a page shows

void write_link(FILE *to, const char *path)
{
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-_.", *path))
            fputc(*path, to);
        else
            fprintf(to, "%%%02X", (unsigned char)*path);
}

const char *mark_style(const struct mark *mark)
{
    return mark->state == PASSED    ? "passed"
           : mark->state == SKIPPED ? "skipped"
           : mark->state == NEW     ? "none"
                                    : "failed";
}

static bool is_open(const struct mark *mark)
{
    return mark->state != PASSED && mark->state != NEW;
}

static void write_row(FILE *to, const struct mark *m)
{
    if (is_open(m))
        fprintf(to, "<tr><td><a href=\"#%s.%s\">%s/%s</a></td>", m->step->chapter, m->step->name, m->step->chapter,
                m->step->name);
    else
        fprintf(to, "<tr><td>%s/%s</td>", m->step->chapter, m->step->name);
    fprintf(to, "<td class=\"number\">%.4g of %.4g</td><td class=\"%s\">%s</td></tr>\n", m->points, m->of,
            mark_style(m), mark_word(m));
}

static void write_hint(FILE *to, const struct mark *m, const char *failure)
{
    struct hints hints = hints_of(m->step, failure);
    const char *hint = hints.aimed ? hints.aimed : hints.count > 0 ? hints.general[0] : NULL;

    if (hint) {
        fprintf(to, "<p class=\"hint\">Hint: ");
        write_escaped(to, hint, false);
        fprintf(to, "</p>\n");
    }
    hints_free(&hints);
}

static void write_finding(FILE *to, const struct class *class, int mark, const struct extras *extras)
{
    const struct mark *m = &class->marks[mark];
    const char *xray = extras->xrays ? extras->xrays[mark] : NULL;
    char *failure = mark_failure(class, m), *why = mark_reason(m);
    size_t length = strlen(failure);

    fprintf(to, "<h2 id=\"%s.%s\">%s/%s</h2>\n<p><span class=\"failed\">%s</span>%s", m->step->chapter, m->step->name,
            m->step->chapter, m->step->name, mark_word(m), *why ? ": " : "");
    write_escaped(to, why, false);
    fprintf(to, "</p>\n");
    if (xray) {
        fprintf(to, "<p><a href=\"../");
        write_link(to, xray);
        fprintf(to, "\">Watch it happen</a>: what the block did, instruction by instruction.</p>\n");
    }
    write_hint(to, m, failure);
    if (length > 0) {
        fprintf(to, "<pre>%s", length > MAX_LOG ? "...\n" : "");
        write_escaped(to, failure + (length > MAX_LOG ? length - MAX_LOG : 0), false);
        fprintf(to, "</pre>\n");
    }
    free(why);
    free(failure);
}

// Files that were not graded.
static void write_omitted(FILE *to, const struct class *class, int student)
{
    int count = 0;

    for (int i = 0; i < class->in.item_count; i++) {
        const struct item *item = &class->in.items[i];

        if (item->student != student || item->step)
            continue;
        fprintf(to, count++ ? "<li>" : "<h2>Not graded</h2>\n<ul>\n<li>");
        write_escaped(to, item->shown, false);
        fprintf(to, ": ");
        write_escaped(to, item->why ? item->why : "", false);
        fprintf(to, "</li>\n");
    }
    fprintf(to, count ? "</ul>\n" : "");
}

void write_student_page(FILE *to, const struct class *class, int s, const struct extras *extras)
{
    const struct student *student = &class->in.students[s];
    const char *name = student->name ? student->name : student->id;
    double of, points = class_points(class, s, &of);

    page_begin(to, name);
    fprintf(to, "</head>\n<body class=\"course\">\n<h1>");
    write_escaped(to, name, false);
    fprintf(to, "</h1>\n<p>%.4g of %.4g points%s", points, of, student->note ? "; " : "");
    write_escaped(to, student->note ? student->note : "", false);
    fprintf(to, "</p>\n<table>\n<tr><th>step</th><th>points</th><th>verdict</th></tr>\n");
    for (int i = 0; i < class->count; i++)
        if (class->marks[i].student == s)
            write_row(to, &class->marks[i]);
    fprintf(to, "</table>\n");
    for (int i = 0; i < class->count; i++)
        if (class->marks[i].student == s && is_open(&class->marks[i]))
            write_finding(to, class, i, extras);
    write_omitted(to, class, s);
    fprintf(to, "</body>\n</html>\n");
}
