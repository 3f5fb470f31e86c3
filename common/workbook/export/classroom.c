// result.json of Classroom 50, schema classroom50/result/v1, which its runner reads when an autograder ends. The
// runner's environment tells the autograder what was handed in and by whom.
#include "export/export.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *key, *variable, *usual; // usual: the default; NULL: the runner must set it
} given[] = {{"classroom", "CLASSROOM", NULL},          {"assignment", "ASSIGNMENT", NULL},
             {"assignment_type", "MODE", "individual"}, {"owner", "USERNAME", NULL},
             {"submission", "SUBMISSION_TAG", NULL},    {"commit", "COMMIT_URL", NULL},
             {"release", "RELEASE_URL", NULL},          {"review", "REVIEW_URL", NULL}};
enum { GIVEN = sizeof given / sizeof *given };

static const char *given_value(int i)
{
    const char *value = getenv(given[i].variable);

    return value && *value ? value : given[i].usual;
}

bool classroom_ready(void)
{
    for (int i = 0; i < GIVEN; i++)
        if (!given_value(i)) {
            fprintf(stderr,
                    "workbook: export: the variable %s is not set; "
                    "the runner of Classroom 50 sets it for an autograder\n",
                    given[i].variable);
            return false;
        }
    return true;
}

// When it was handed in, from the tag submit/2026-06-01T14-32-05Z-a1b2c3d; the current time for a tag of another form.
static void put_time(FILE *to, const char *tag)
{
    int year, month, day, hour, minute, second;
    time_t now = time(NULL);
    struct tm at;

    gmtime_r(&now, &at);
    if (sscanf(tag, "submit/%4d-%2d-%2dT%2d-%2d-%2dZ", &year, &month, &day, &hour, &minute, &second) == 6 &&
        hour < 24 && minute < 60 && second < 60)
        at = (struct tm){.tm_year = year - 1900,
                         .tm_mon = month - 1,
                         .tm_mday = day,
                         .tm_hour = hour,
                         .tm_min = minute,
                         .tm_sec = second};
    fprintf(to, "\"datetime\": \"%04d-%02d-%02dT%02d:%02d:%02dZ\"", at.tm_year + 1900, at.tm_mon + 1, at.tm_mday,
            at.tm_hour, at.tm_min, at.tm_sec);
}

// Points there are whole numbers: if an assignment or a late day gives fractions, they count in hundredths.
static int scale_of(const struct class *class, int student)
{
    bool whole = class->in.students[student].share == 1;

    for (int i = 0; i < class->count && whole; i++)
        if (class->marks[i].student == student)
            whole = floor(class->marks[i].of) == class->marks[i].of &&
                    floor(class->marks[i].points) == class->marks[i].points;
    return whole ? 1 : 100;
}

void write_classroom(FILE *to, const struct class *class, int student)
{
    double share = class->in.students[student].share;
    long score = 0, most = 0, scale = scale_of(class, student);
    int written = 0;

    fprintf(to, "{\"schema\": \"classroom50/result/v1\"");
    for (int i = 0; i < GIVEN; i++) {
        fprintf(to, ",\n \"%s\": \"", given[i].key);
        write_escaped(to, given_value(i), true);
        fputc('"', to);
    }
    fprintf(to, ",\n ");
    put_time(to, getenv("SUBMISSION_TAG"));
    fprintf(to, ",\n \"tests\": [");
    for (int i = 0; i < class->count; i++) {
        const struct mark *m = &class->marks[i];
        char *line = m->student == student ? mark_line(m) : NULL;

        if (!line)
            continue;
        score += lround(floor(m->points * share * (double)scale + 1e-6));
        most += lround(m->of * (double)scale);
        fprintf(to,
                "%s\n  {\"test-name\": \"%s/%s\", \"passed\": %s, \"score\": %ld, \"max-score\": %ld, \"output\": \"",
                written++ ? "," : "", m->step->chapter, m->step->name, m->state == PASSED ? "true" : "false",
                lround(floor(m->points * share * (double)scale + 1e-6)), lround(m->of * (double)scale));
        write_escaped(to, line, true);
        fprintf(to, "\"}");
        free(line);
    }
    fprintf(to, "],\n \"score\": %ld, \"max-score\": %ld}\n", score, most);
}
