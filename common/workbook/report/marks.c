// The marks of a class, as a table on the terminal and as files: grades.csv has a row per step, students.csv a row per
// student, grades.xml is JUnit, and grades.json is the record (record.c).
#include "report/marks.h"
#include "judge/judge.h"
#include "judge/progress.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Escapes text for XML, including what could end an attribute.
static void put_xml(FILE *to, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++) {
        unsigned char c = (unsigned char)text[i];
        int length = utf8_length(text + i);

        if (length > 1) {
            fwrite(text + i, 1, (size_t)length, to);
            i += (size_t)length - 1;
        } else if (strchr("<>&\"", c))
            fprintf(to, "&#%d;", c);
        else
            fputc(c >= 128 ? '?' : c >= 32 || c == '\n' ? c : ' ', to);
    }
}

// A cell of a table for people: quoted, without line ends and control characters, and without formulas for
// a spreadsheet.
static void put_cell(FILE *to, const char *text, const char *before)
{
    char *plain = csv_harmless(text);

    fprintf(to, "%s\"", before);
    for (char *p = plain; *p; p += utf8_length(p)) {
        int length = utf8_length(p);

        if (length > 1)
            fwrite(p, 1, (size_t)length, to);
        else
            fprintf(to, *p == '"' ? "\"\"" : "%c", (unsigned char)*p < ' ' ? ' ' : (unsigned char)*p > '~' ? '?' : *p);
    }
    fputc('"', to);
    free(plain);
}

static const char refused[] = "refused: ";

static bool is_refused(const struct mark *mark)
{
    return mark->why && strncmp(mark->why, refused, strlen(refused)) == 0;
}

const char *mark_word(const struct mark *mark)
{
    return is_refused(mark) ? "refused" : mark->state == NEW ? "not handed in" : state_word(mark->state);
}

char *mark_reason(const struct mark *mark)
{
    const char *why = is_refused(mark) ? mark->why + strlen(refused) : mark->why ? mark->why : "";

    return text_format("%.*s", (int)strcspn(why, "\n"), why);
}

char *mark_source(const struct mark *mark)
{
    size_t length = mark->log ? strlen(mark->log) : 0;

    return length > 4 ? text_format("%.*s.cu", (int)length - 4, mark->log) : NULL;
}

char *mark_failure(const struct class *class, const struct mark *mark)
{
    char *path = text_format("%s/%s", class->out ? class->out : ".", mark->log ? mark->log : "");
    char *log = mark->log && mark->state != PASSED ? file_read(path) : NULL, *last = log;

    for (char *at = log; at && (at = strstr(at, "== ")); at++)
        if (at == log || at[-1] == '\n')
            last = at;
    free(path);
    path = text_format("%s", last ? last : "");
    free(log);
    return path;
}

static int by_step(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return x->student != y->student ? x->student - y->student : (x->step > y->step) - (x->step < y->step);
}

void class_sort(struct class *class)
{
    int *now = intake_sort(&class->in);

    for (int i = 0; i < class->count; i++)
        class->marks[i].student = now[class->marks[i].student];
    if (class->count > 0)
        qsort(class->marks, (size_t) class->count, sizeof *class->marks, by_step);
    free(now);
}

double class_points(const struct class *class, int student, double *of)
{
    double points = 0;

    *of = 0;
    for (int i = 0; i < class->count; i++)
        if (class->marks[i].student == student) {
            points += class->marks[i].points;
            *of += class->marks[i].of;
        }
    return points * class->in.students[student].share;
}

// At most two digits after the point, without trailing zeros.
static void put_points(FILE *to, double points)
{
    char *text = text_format("%.2f", points);

    text[strcspn(text, ".") + (strstr(text, ".00") ? 0 : text[strlen(text) - 1] == '0' ? 2 : 3)] = 0;
    fputs(text, to);
    free(text);
}

void write_steps(FILE *to, const struct class *class)
{
    fprintf(to, "student,chapter,step,points,of,state,altered,why\n");
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        char *why = mark_reason(m);

        put_cell(to, class->in.students[m->student].id, "");
        fprintf(to, ",%s,%s,", m->step->chapter, m->step->name);
        put_points(to, m->points);
        fputc(',', to);
        put_points(to, m->of);
        fprintf(to, ",%s,%s", mark_word(m), m->altered ? "yes" : "no");
        put_cell(to, why, ",");
        fputc('\n', to);
        free(why);
    }
}

bool class_has(const struct class *class, const struct step *step)
{
    for (int i = 0; i < class->count; i++)
        if (class->marks[i].step == step)
            return true;
    return false;
}

void write_students(FILE *to, const struct class *class)
{
    bool *has = checked(calloc((size_t)course.count + 1, sizeof *has));
    int mark = 0;

    fprintf(to, "student,name,email,points,of,per cent,note");
    for (int i = 0; i < course.count; i++)
        if ((has[i] = class_has(class, &course.steps[i])))
            fprintf(to, ",%s/%s", course.steps[i].chapter, course.steps[i].name);
    for (int s = 0; s < class->in.student_count; s++) {
        const struct student *student = &class->in.students[s];
        double of, points = class_points(class, s, &of);
        const struct mark **at = checked(calloc((size_t)course.count + 1, sizeof *at));

        for (; mark < class->count && class->marks[mark].student == s; mark++)
            at[class->marks[mark].step - course.steps] = &class->marks[mark];
        fputc('\n', to);
        put_cell(to, student->id, "");
        put_cell(to, student->name ? student->name : "", ",");
        put_cell(to, student->email ? student->email : "", ",");
        fputc(',', to);
        put_points(to, points);
        fputc(',', to);
        put_points(to, of);
        fputc(',', to);
        put_points(to, of > 0 ? 100 * points / of : 0);
        put_cell(to, student->note ? student->note : "", ",");
        for (int i = 0; i < course.count; i++) {
            fputs(has[i] ? "," : "", to);
            if (at[i])
                put_points(to, at[i]->points);
        }
        free(at);
    }
    fputc('\n', to);
    free(has);
}

static void write_case(FILE *to, const struct class *class, const struct mark *m)
{
    char *path = text_format("%s/%s", class->out ? class->out : ".", m->log ? m->log : "");
    char *log = m->log ? file_read(path) : NULL, *why = mark_reason(m);

    fprintf(to, "  <testcase classname=\"%s\" name=\"%s\" time=\"%.1f\">", m->step->chapter, m->step->name, m->seconds);
    if (m->state != PASSED) {
        fprintf(to, "<%s message=\"%s: ", m->state == SKIPPED ? "skipped" : "failure", mark_word(m));
        put_xml(to, why, 500);
        fprintf(to, "\"/>");
    }
    fprintf(to, "<system-out>");
    put_xml(to, log ? log : "", 4000);
    fprintf(to, "</system-out></testcase>\n");
    free(log);
    free(path);
    free(why);
}

// A student without a step also has a suite, with a case that says so.
void write_xml(FILE *to, const struct class *class)
{
    int mark = 0;

    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int s = 0; s < class->in.student_count; s++) {
        const struct student *student = &class->in.students[s];
        bool none = mark == class->count || class->marks[mark].student != s;

        fprintf(to, " <testsuite name=\"");
        put_xml(to, student->id, 200);
        fprintf(to, "\">\n");
        for (; mark < class->count && class->marks[mark].student == s; mark++)
            write_case(to, class, &class->marks[mark]);
        if (none) {
            fprintf(to, "  <testcase classname=\"none\" name=\"handed in\"><failure message=\"");
            put_xml(to, student->note ? student->note : "nothing to grade", 500);
            fprintf(to, "\"/></testcase>\n");
        }
        fprintf(to, " </testsuite>\n");
    }
    fprintf(to, "</testsuites>\n");
}

static void show_mark(const struct mark *m)
{
    char *raw = mark_reason(m), *why = text_plain(raw);

    if (m->state != PASSED || m->altered)
        printf("  %s/%-20s %g  %s%s%s%s%s%s\n", m->step->chapter, m->step->name, m->points, state_colour(m->state),
               mark_word(m), colour("off"), m->altered && !is_refused(m) ? ", altered outside the TODO" : "",
               *why ? ": " : "", why);
    free(raw);
    free(why);
}

static void show_student(const struct class *class, int s)
{
    const struct student *student = &class->in.students[s];
    int steps = 0, passed = 0;
    double of, points = class_points(class, s, &of);
    char *id = text_plain(student->id), *name = student->name ? text_plain(student->name) : NULL;
    char *both = name && strcmp(name, id) != 0 ? text_format("%s (%s)", name, id) : text_format("%s", id);
    int pad = 24 - text_columns(both);

    for (int i = 0; i < class->count; i++)
        if (class->marks[i].student == s) {
            passed += class->marks[i].state == PASSED;
            steps++;
        }
    printf("%s%s%s%*s %2d of %2d passed, %3g point%s%s%s\n", colour("bold"), both, colour("off"), pad > 0 ? pad : 0, "",
           passed, steps, points, points == 1 ? "" : "s", student->note ? "; " : "",
           student->note ? student->note : "");
    for (int i = 0; i < class->count; i++)
        if (class->marks[i].student == s)
            show_mark(&class->marks[i]);
    free(both);
    free(name);
    free(id);
}

bool class_write(const struct class *class, const char *out, const char *name,
                 void (*write)(FILE *to, const struct class *class))
{
    char *path = text_format("%s/%s", out, name);
    FILE *to = file_draft(path);
    bool good;

    if (to)
        write(to, class);
    good = file_replace(to, path);
    free(path);
    return good;
}

static int handed_in(const struct class *class)
{
    int count = 0;

    for (int i = 0; i < class->count; i++)
        count += class->marks[i].state != NEW;
    return count;
}

int marks_write(const struct class *class, const char *out)
{
    int submissions = handed_in(class);
    bool good;

    for (int s = 0; s < class->in.student_count; s++)
        show_student(class, s);
    good = class_write(class, out, "grades.json", record_write);
    good = class_write(class, out, "grades.csv", write_steps) && good;
    good = class_write(class, out, "students.csv", write_students) && good;
    good = class_write(class, out, "grades.xml", write_xml) && good;
    printf("\n%d submission%s of %d student%s, seed %s, in %.0f s\n", submissions, submissions == 1 ? "" : "s",
           class->in.student_count, class->in.student_count == 1 ? "" : "s", class->seed, class->seconds);
    printf("%s/grades.json (the record), grades.csv, students.csv, grades.xml (JUnit); with logs/\n", out);
    return good ? 0 : 1;
}

void class_free(struct class *class)
{
    for (int i = 0; i < class->count; i++) {
        free(class->marks[i].log);
        free(class->marks[i].why);
    }
    intake_free(&class->in);
    free(class->marks);
    free(class->seed);
    free(class->out);
    *class = (struct class){0};
}
