// A graded course on one page for teachers: each student's points, the most common mistakes in each step, and the
// spread of the counters of those who passed. All text from students is escaped.
#include "export/pages.h"
#include "export/mistakes.h"
#include "export/spread.h"
#include "report/page.h"
#include "base/files.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// A click on a column's head sorts the rows by it: by the number in data-v, if the cells have one.
static const char script[] =
    "<script>\n"
    "for (const button of document.querySelectorAll('.sorted th button'))\n"
    "    button.addEventListener('click', () => {\n"
    "        const head = button.parentElement, table = head.closest('table'), at = head.cellIndex;\n"
    "        const down = head.getAttribute('aria-sort') === 'descending', sign = down ? 1 : -1;\n"
    "        const value = (row) => row.cells[at].dataset.v ?? row.cells[at].textContent;\n"
    "        const rows = [...table.tBodies[0].rows];\n"
    "        rows.sort((a, b) => { const x = value(a), y = value(b);\n"
    "            return sign * (isNaN(x - y) ? x.localeCompare(y) : x - y); });\n"
    "        for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');\n"
    "        head.setAttribute('aria-sort', down ? 'ascending' : 'descending');\n"
    "        table.tBodies[0].append(...rows);\n"
    "    });\n"
    "</script>\n";

static void write_head(FILE *to, const char *words)
{
    fprintf(to, "<th><button type=\"button\">%s</button></th>", words);
}

static void write_cell(FILE *to, const struct mark *m)
{
    char *why;

    if (!m) {
        fprintf(to, "<td class=\"none\" data-v=\"-1\">&#183;</td>");
        return;
    }
    why = mark_reason(m);
    fprintf(to, "<td class=\"number %s\" data-v=\"%.10g\" title=\"%s%s", mark_style(m), m->points, mark_word(m),
            *why ? ": " : "");
    write_escaped(to, why, false);
    fprintf(to, "\">%.4g</td>", m->points);
    free(why);
}

// A student's row; the student's marks begin at *mark, which then moves to the next student's.
static void write_student_row(FILE *to, const struct class *class, int s, int *mark, const bool *has)
{
    const struct student *student = &class->in.students[s];
    double of, points = class_points(class, s, &of);

    fprintf(to, "<tr><th><a href=\"students/");
    write_link(to, student->folder);
    fprintf(to, ".html\">");
    write_escaped(to, student->name ? student->name : student->id, false);
    fprintf(to, "</a></th><td>");
    write_escaped(to, student->id, false);
    fprintf(to, "</td><td class=\"number\" data-v=\"%.10g\">%.4g</td><td class=\"number\" data-v=\"%.10g\">%.0f</td>",
            points, points, of > 0 ? points / of : 0, of > 0 ? 100 * points / of : 0);
    for (int i = 0; i < course.count; i++)
        if (has[i]) {
            bool own = *mark < class->count && class->marks[*mark].student == s &&
                       class->marks[*mark].step == &course.steps[i];

            write_cell(to, own ? &class->marks[*mark] : NULL);
            *mark += own;
        }
    fprintf(to, "<td>");
    write_escaped(to, student->note ? student->note : "", false);
    fprintf(to, "</td></tr>\n");
}

static void write_students_table(FILE *to, const struct class *class, const bool *has)
{
    int mark = 0;

    fprintf(to, "<table class=\"sorted\">\n<thead><tr>");
    write_head(to, "student");
    write_head(to, "id");
    write_head(to, "points");
    write_head(to, "%");
    for (int i = 0; i < course.count; i++)
        if (has[i]) {
            char *title = text_format("%s/%s", course.steps[i].chapter, course.steps[i].name);

            write_head(to, title);
            free(title);
        }
    fprintf(to, "<th>note</th></tr></thead>\n<tbody>\n");
    for (int s = 0; s < class->in.student_count; s++)
        write_student_row(to, class, s, &mark, has);
    fprintf(to, "</tbody></table>\n");
}

// ---- the steps

enum { SHOWN_MISTAKES = 5 };

static void write_mistakes(FILE *to, const struct class *class, const struct step *step, int handed_in)
{
    struct mistakes mistakes = mistakes_of(class, step);
    int shown_count = mistakes.count < SHOWN_MISTAKES ? mistakes.count : SHOWN_MISTAKES, more = 0;

    for (int i = shown_count; i < mistakes.count; i++)
        more += mistakes.list[i].count;
    fprintf(to, mistakes.count ? "<ul>\n" : "");
    for (int i = 0; i < shown_count; i++) {
        fprintf(to, "<li>%d of %d: ", mistakes.list[i].count, handed_in);
        write_escaped(to, mistakes.list[i].words, false);
        fprintf(to, "</li>\n");
    }
    if (more > 0)
        fprintf(to, "<li>%d of %d: something else</li>\n", more, handed_in);
    fprintf(to, mistakes.count ? "</ul>\n" : "");
    mistakes_free(&mistakes);
}

static void write_step(FILE *to, const struct class *class, const struct step *step, const struct extras *extras)
{
    const char *reference = extras->references ? extras->references[step - course.steps] : NULL;
    int handed_in = 0, passed = 0;

    for (int i = 0; i < class->count; i++)
        if (class->marks[i].step == step) {
            handed_in += class->marks[i].state != NEW;
            passed += class->marks[i].state == PASSED;
        }
    fprintf(to, "<h2 id=\"%s.%s\">%s/%s</h2>\n<p>%d handed in, %d passed.</p>\n", step->chapter, step->name,
            step->chapter, step->name, handed_in, passed);
    write_mistakes(to, class, step, handed_in);
    fprintf(to, "<div class=\"charts\">\n");
    write_spread(to, class, step, reference);
    fprintf(to, "</div>\n");
}

static void write_no_ones(FILE *to, const struct class *class)
{
    int count = 0;

    for (int i = 0; i < class->in.item_count; i++)
        if (class->in.items[i].student < 0) {
            fprintf(to, count++ ? "<li>" : "<h2>Files that name no student</h2>\n<ul>\n<li>");
            write_escaped(to, class->in.items[i].shown, false);
            fprintf(to, ": ");
            write_escaped(to, class->in.items[i].why ? class->in.items[i].why : "", false);
            fprintf(to, "</li>\n");
        }
    fprintf(to, count ? "</ul>\n" : "");
}

static void write_class_page(FILE *to, const struct class *class, const struct extras *extras)
{
    bool *has = checked(calloc((size_t)course.count + 1, sizeof *has)), references = false;

    for (int i = 0; i < course.count; i++) {
        has[i] = class_has(class, &course.steps[i]);
        references |= extras->references && extras->references[i];
    }
    page_begin(to, "Warpbook: a course");
    fprintf(to,
            "</head>\n<body class=\"course\">\n<h1>Warpbook: a course</h1>\n<p>%d student%s. "
            "A heading sorts the rows.</p>\n",
            class->in.student_count, class->in.student_count == 1 ? "" : "s");
    write_students_table(to, class, has);
    fprintf(
        to,
        "<p>For each step: the most common mistakes, and the counters of those who passed; a dot is a program%s.</p>\n",
        references ? ", the diamond the reference solution" : "");
    for (int i = 0; i < course.count; i++)
        if (has[i])
            write_step(to, class, &course.steps[i], extras);
    write_no_ones(to, class);
    fprintf(to, "%s</body>\n</html>\n", script);
    free(has);
}

// ---- the files

static bool write_one_student(const struct class *class, const char *folder, int s, const struct extras *extras)
{
    char *path = text_format("%s/students/%s.html", folder, class->in.students[s].folder);
    FILE *to = fopen(path, "w");
    bool good;

    if (to)
        write_student_page(to, class, s, extras);
    good = file_finish(to, path);
    free(path);
    return good;
}

bool export_pages(const struct class *class, const char *folder, const struct extras *extras)
{
    char *students = text_format("%s/students", folder), *path = text_format("%s/index.html", folder);
    bool good = folder_make(students);
    FILE *to = good ? fopen(path, "w") : NULL;

    if (to)
        write_class_page(to, class, extras);
    good = file_finish(to, path);
    for (int s = 0; s < class->in.student_count && good; s++)
        good = write_one_student(class, folder, s, extras);
    if (good)
        printf("wrote %s, and next to it a page for each student\n", shown(path));
    free(students);
    free(path);
    return good;
}
