// Which steps are due, for how many points, until when.
#include "intake/assignment.h"
#include "intake/times.h"
#include "base/files.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const PART_NAMES[ASSIGNMENT_PARTS] = {"result", "safety", "lesson"};

static const char FORM[] = "a line is 'STEP', 'STEP result 2 safety 1 lesson 1', "
                           "'due 2026-12-01 23:59 +01:00' or 'late 10 % a day, 3 days'";

// Parses the points after the step's name, for parts of these names. False: another word, or no number.
static bool read_points(char *words, const char *const names[], double points[])
{
    bool given = false;

    for (int i = 0; i < ASSIGNMENT_PARTS; i++)
        points[i] = 0;
    for (char *word; (word = strsep(&words, " \t"));) {
        char *number = NULL, *end;
        int part = 0;

        if (!*word)
            continue;
        while (part < ASSIGNMENT_PARTS && strcmp(word, names[part]) != 0)
            part++;
        while (words && (number = strsep(&words, " \t")) && !*number)
            continue;
        if (part == ASSIGNMENT_PARTS || !number || !*number)
            return false;
        points[part] = strtod(number, &end);
        if (*end || !(points[part] >= 0 && points[part] < 1e6))
            return false;
        given = true;
    }
    for (int i = 0; i < ASSIGNMENT_PARTS && !given; i++)
        points[i] = 1;
    return true;
}

// Returns what is wrong with a line, or NULL.
static const char *read_step(struct assignment *a, char *line)
{
    char *name = strsep(&line, " \t");
    const struct step *step = course_find(name, NULL);
    struct due due = {.step = step};

    if (!step || step->level > 0)
        return "no such step";
    if (!read_points(line, step->project ? level_names : PART_NAMES, due.points))
        return FORM;
    if (assignment_due(a, step))
        return "this step stands here twice";
    a->due = checked(realloc(a->due, (size_t)(a->count + 1) * sizeof *a->due));
    a->due[a->count++] = due;
    return NULL;
}

static const char *read_line(struct assignment *a, char *line)
{
    int used = 0;

    line += strspn(line, " \t");
    line[strcspn(line, "#\r\n")] = 0;
    for (size_t end = strlen(line); end > 0 && isspace((unsigned char)line[end - 1]);)
        line[--end] = 0;
    if (!*line)
        return NULL;
    if (strncmp(line, "due ", 4) == 0)
        return time_read(line + 4, &a->deadline) ? NULL : "the date is not as in 2026-12-01 23:59 +01:00";
    if (strncmp(line, "late ", 5) == 0) {
        bool good = sscanf(line, "late %lf %% a day, %d day%n", &a->off, &a->days, &used) == 2 && used > 0 &&
                    a->off >= 0 && a->off <= 100 && a->days >= 0;

        return good && (line[used] == 0 || strcmp(line + used, "s") == 0) ? NULL : FORM;
    }
    return read_step(a, line);
}

bool assignment_read(struct assignment *a, const char *path)
{
    char *text = file_read(path), *rest = text, *line;
    const char *wrong = NULL;

    *a = (struct assignment){0};
    if (!text)
        return fprintf(stderr, "workbook: cannot read %s: %s\n", path, strerror(errno)), false;
    for (int number = 1; !wrong && (line = strsep(&rest, "\n")); number++)
        if ((wrong = read_line(a, line)))
            fprintf(stderr, "%s:%d: %s\n", path, number, wrong);
    if (!wrong && a->count == 0)
        fprintf(stderr, "%s: no step is due; %s\n", path, wrong = FORM);
    free(text);
    return !wrong;
}

void assignment_free(struct assignment *a)
{
    free(a->due);
    *a = (struct assignment){0};
}

const struct due *assignment_due(const struct assignment *a, const struct step *step)
{
    for (int i = 0; i < a->count; i++)
        if (a->due[i].step == step)
            return &a->due[i];
    return NULL;
}

double assignment_points(const struct assignment *a, const struct step *step, int passed)
{
    const struct due *due = assignment_due(a, step);
    double points = 0;

    for (int part = 0; part < passed && part < ASSIGNMENT_PARTS; part++)
        points += due ? due->points[part] : a->count > 0 ? 0 : 1;
    return points;
}

double assignment_share(const struct assignment *a, double handed_in, bool late, char **note)
{
    double days = handed_in > 0 ? ceil((handed_in - a->deadline) / 86400) : late, share;

    *note = NULL;
    if (a->deadline == 0 || days <= 0)
        return 1;
    share = days <= a->days ? 1 - days * a->off / 100 : 0;
    share = share > 0 ? share : 0;
    *note = handed_in > 0 ? text_format("handed in %.0f day%s late: %.4g %% of the points count", days,
                                        days == 1 ? "" : "s", 100 * share)
                          : text_format("handed in late, it is not known when: taken as 1 day, "
                                        "%.4g %% of the points count",
                                        100 * share);
    return share;
}
