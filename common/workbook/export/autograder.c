// The output of an autograder in the format of the system that started it: a JSON file for each student.
#include "export/export.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static void put(FILE *to, const char *key, const char *text)
{
    fprintf(to, "\"%s\": \"", key);
    write_escaped(to, text, true);
    fputc('"', to);
}

static char *step_title(const struct mark *m)
{
    return text_format("%s/%s", m->step->chapter, m->step->name);
}

void write_gradescope(FILE *to, const struct class *class, int student)
{
    const char *note = class->in.students[student].note;
    double of, points = class_points(class, student, &of);
    int written = 0;

    fprintf(to, "{\"score\": %.10g, ", points);
    put(to, "output", note ? note : "");
    fprintf(to, ", \"output_format\": \"text\", \"visibility\": \"visible\", \"tests\": [");
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        char *title = step_title(m), *line = mark_line(m);

        if (m->student == student) {
            fprintf(to, "%s\n {", written++ ? "," : "");
            put(to, "name", title);
            fprintf(to, ", \"score\": %.10g, \"max_score\": %.10g, \"status\": \"%s\", ", m->points, m->of,
                    m->state == PASSED ? "passed" : "failed");
            put(to, "output", line);
            fprintf(to, ", \"output_format\": \"text\", \"visibility\": \"visible\"}");
        }
        free(title);
        free(line);
    }
    fprintf(to, "]}\n");
}

// Whether nothing of a student's could be graded, because nothing was handed in or nothing compiles: such an attempt
// is not counted.
static bool is_gradable(const struct class *class, int student)
{
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        bool built = !m->why || strncmp(m->why, "not built", 9) != 0;

        if (m->student == student && m->state != NEW && m->state != SKIPPED && built)
            return true;
    }
    return false;
}

void write_prairielearn(FILE *to, const struct class *class, int student)
{
    const char *note = class->in.students[student].note;
    double of, points = class_points(class, student, &of);
    bool gradable = is_gradable(class, student);
    int written = 0;

    fprintf(to, "{\"gradable\": %s, \"score\": %.10g, ", gradable ? "true" : "false", of > 0 ? points / of : 0);
    put(to, gradable ? "message" : "output", note ? note : "");
    if (!gradable)
        fprintf(to, ", \"format_errors\": [");
    for (int i = 0; i < class->count && !gradable; i++) {
        char *line = mark_line(&class->marks[i]);

        if (class->marks[i].student == student) {
            fputs(written++ ? ", \"" : "\"", to);
            write_escaped(to, line, true);
            fputc('"', to);
        }
        free(line);
    }
    fprintf(to, "%s, \"tests\": [", gradable ? "" : "]");
    written = 0;
    for (int i = 0; i < class->count && gradable; i++) {
        const struct mark *m = &class->marks[i];
        char *title = step_title(m), *line = mark_line(m);

        if (m->student == student) {
            fprintf(to, "%s\n {", written++ ? "," : "");
            put(to, "name", title);
            fprintf(to, ", \"points\": %.10g, \"max_points\": %.10g, ", m->points, m->of);
            put(to, "output", line);
            fputc('}', to);
        }
        free(title);
        free(line);
    }
    fprintf(to, "]}\n");
}
