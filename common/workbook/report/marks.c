// The marks of a class, as a table on the terminal and as grades.csv, grades.json and grades.xml (JUnit).
#include "report/marks.h"
#include "judge/judge.h"
#include "judge/progress.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum quoting { AS_CSV, AS_JSON, AS_XML };

// Text as the form wants it, without what could end the field.
static void put_text(FILE *to, enum quoting form, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++) {
        unsigned char c = (unsigned char)text[i];
        int length = utf8_length(text + i);

        if (length > 1) {
            fwrite(text + i, 1, (size_t)length, to);
            i += (size_t)length - 1;
        } else if (form == AS_XML && (c == '<' || c == '>' || c == '&' || c == '"'))
            fprintf(to, "&#%d;", c);
        else if (form == AS_CSV && c == '"')
            fputs("\"\"", to);
        else if (form == AS_JSON && (c == '"' || c == '\\'))
            fprintf(to, "\\%c", c);
        else if (form == AS_JSON && c == '\n')
            fputs("\\n", to);
        else if (c >= 32 || (c == '\n' && form == AS_XML))
            fputc(c < 128 ? c : '?', to);
        else
            fputc(' ', to);
    }
}

static const char refused[] = "refused: ";

static bool is_refused(const struct mark *mark)
{
    return mark->why && strncmp(mark->why, refused, strlen(refused)) == 0;
}

static const char *mark_word(const struct mark *mark)
{
    return is_refused(mark) ? "refused" : state_word(mark->state);
}

// The first line of why a step was not passed.
static char *reason(const struct mark *mark)
{
    const char *why = is_refused(mark) ? mark->why + strlen(refused) : mark->why ? mark->why : "";

    return text_format("%.*s", (int)strcspn(why, "\n"), why);
}

static void write_csv(FILE *to, const struct class *class)
{
    fprintf(to, "student,chapter,step,points,of,state,altered,why\n");
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        char *why = reason(m);

        fputc('"', to);
        put_text(to, AS_CSV, m->student, 200);
        fprintf(to, "\",%s,%s,%d,%d,%s,%s,\"", m->step->chapter, m->step->name, m->points, PARTS, mark_word(m),
                m->altered ? "yes" : "no");
        put_text(to, AS_CSV, why, 500);
        fprintf(to, "\"\n");
        free(why);
    }
}

static void write_json(FILE *to, const struct class *class)
{
    fprintf(to, "{\"seed\": %s, \"marks\": [", class->seed);
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        char *why = reason(m);

        fprintf(to, "%s\n {\"student\": \"", i ? "," : "");
        put_text(to, AS_JSON, m->student, 200);
        fprintf(to,
                "\", \"step\": \"%s/%s\", \"exit\": %d, \"verdict\": \"%s\", \"points\": %d, \"of\": %d, "
                "\"altered\": %s, \"seconds\": %.1f, \"why\": \"",
                m->step->chapter, m->step->name, state_exit(m->state), mark_word(m), m->points, PARTS,
                m->altered ? "true" : "false", m->seconds);
        put_text(to, AS_JSON, why, 500);
        fprintf(to, "\"}");
        free(why);
    }
    fprintf(to, "\n]}\n");
}

static void write_xml(FILE *to, const struct class *class)
{
    fprintf(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int s = 0; s < class->student_count; s++) {
        fprintf(to, " <testsuite name=\"");
        put_text(to, AS_XML, class->students[s], 200);
        fprintf(to, "\">\n");
        for (int i = 0; i < class->count; i++) {
            const struct mark *m = &class->marks[i];
            char *log = m->student == class->students[s] ? file_read(m->log) : NULL, *why = reason(m);

            if (m->student == class->students[s]) {
                fprintf(to, "  <testcase classname=\"%s\" name=\"%s\" time=\"%.1f\">", m->step->chapter, m->step->name,
                        m->seconds);
                if (m->state != PASSED) {
                    fprintf(to, "<%s message=\"%s: ", m->state == SKIPPED ? "skipped" : "failure", mark_word(m));
                    put_text(to, AS_XML, why, 500);
                    fprintf(to, "\"/>");
                }
                fprintf(to, "<system-out>");
                put_text(to, AS_XML, log ? log : "", 4000);
                fprintf(to, "</system-out></testcase>\n");
            }
            free(log);
            free(why);
        }
        fprintf(to, " </testsuite>\n");
    }
    fprintf(to, "</testsuites>\n");
}

static void show_student(const struct class *class, const char *student)
{
    int points = 0, steps = 0, passed = 0;

    for (int i = 0; i < class->count; i++)
        if (class->marks[i].student == student) {
            points += class->marks[i].points;
            passed += class->marks[i].state == PASSED;
            steps++;
        }
    char *name = text_plain(student);
    int pad = 24 - text_columns(name);

    printf("%s%s%s%*s %2d of %2d passed, %3d points\n", colour("bold"), name, colour("off"), pad > 0 ? pad : 0, "",
           passed, steps, points);
    free(name);
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        char *raw = reason(m), *why = text_plain(raw);

        free(raw);
        if (m->student == student && (m->state != PASSED || m->altered))
            printf("  %s/%-20s %d  %s%s%s%s%s%s\n", m->step->chapter, m->step->name, m->points, state_colour(m->state),
                   mark_word(m), colour("off"), m->altered && !is_refused(m) ? ", altered outside the TODO" : "",
                   *why ? ": " : "", why);
        free(why);
    }
}

static bool write_form(const struct class *class, const char *out, const char *name,
                       void (*write)(FILE *to, const struct class *class))
{
    char *path = text_format("%s/%s", out, name);
    FILE *to = fopen(path, "w");
    bool good = to != NULL;

    if (to) {
        write(to, class);
        good = !ferror(to);
        good = fclose(to) == 0 && good;
    }
    if (!good)
        fprintf(stderr, "workbook: cannot write %s\n", path);
    free(path);
    return good;
}

int marks_write(const struct class *class, const char *out)
{
    bool good;

    for (int s = 0; s < class->student_count; s++)
        show_student(class, class->students[s]);
    good = write_form(class, out, "grades.csv", write_csv);
    good = write_form(class, out, "grades.json", write_json) && good;
    good = write_form(class, out, "grades.xml", write_xml) && good;
    printf("\n%d submission%s of %d student%s, seed %s, in %.0f s\n", class->count, class->count == 1 ? "" : "s",
           class->student_count, class->student_count == 1 ? "" : "s", class->seed, class->seconds);
    printf("%s/grades.csv, .json, .xml (JUnit); logs/ beside them\n", out);
    return good ? 0 : 1;
}
