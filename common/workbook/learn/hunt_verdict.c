// A hunt is over when the machine finds nothing on any input and in any order, every answer is right, few lines have
// changed, and the part that checks the answer is as it was.
#include "learn/hunt_verdict.h"
#include "learn/lab.h"
#include "judge/findings.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK "\n// The check: leave it as it is.\n" // all from here on

// ---- lines

struct lines {
    const char **at;
    int count;
};

static struct lines lines_of(const char *text)
{
    struct lines lines = {checked(malloc((strlen(text) + 1) * sizeof *lines.at)), 0};

    for (const char *line = text; *line; line = line_end(line))
        lines.at[lines.count++] = line;
    return lines;
}

// Two lines are the same but for blanks at their ends.
static bool same_line(const char *a, const char *b)
{
    size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");

    while (n && strchr(" \t\r", a[n - 1]))
        n--;
    while (m && strchr(" \t\r", b[m - 1]))
        m--;
    return n == m && memcmp(a, b, n) == 0;
}

// The length of the longest common subsequence.
static int common_lines(const struct lines *a, const struct lines *b)
{
    int *row = checked(calloc((size_t)b->count + 1, sizeof *row)), common;

    for (int i = 0; i < a->count; i++)
        for (int j = 0, diagonal = 0; j < b->count; j++) {
            int above = row[j + 1];

            row[j + 1] = same_line(a->at[i], b->at[j]) ? diagonal + 1 : above > row[j] ? above : row[j];
            diagonal = above;
        }
    common = row[b->count];
    free(row);
    return common;
}

// An edited line counts once.
static int changed_lines(const char *given, const char *mine)
{
    struct lines a = lines_of(given), b = lines_of(mine);
    int common = common_lines(&a, &b), more = a.count > b.count ? a.count : b.count;

    free(a.at);
    free(b.at);
    return more - common;
}

static bool same_check(const char *given, const char *mine)
{
    const char *a = strstr(given, CHECK), *b = strstr(mine, CHECK);

    return a && b && strcmp(a, b) == 0;
}

// ---- runs

static const char *const orders[] = {"order", "random:1", "random:2"};

// The findings in what a program printed, each with its explanation, in the order of cause and effect; NULL: none.
static char *findings_in(char *said)
{
    char *all = NULL, *more;

    findings_order(said);
    for (const char *line = said; *line; line = line_end(line))
        if (findings_is(line) || (all && findings_explains(line))) {
            more = text_format("%s%.*s", all ? all : "", (int)(line_end(line) - line), line);
            free(all);
            all = more;
        }
    return all;
}

static bool is_right(const struct lab_run *run)
{
    return run->exit == 0 && strstr(run->said, "PASSED") != NULL;
}

// Runs program on an input in every order, until both a finding and a wrong answer are known.
static void try_input(struct hunt_verdict *verdict, char *program, const char *input)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders && !(verdict->findings && verdict->wrong); i++) {
        struct lab_run run = lab_run(program, input, "all", orders[i]);
        bool right = is_right(&run);

        if (!verdict->findings)
            verdict->findings = findings_in(run.said);
        if (!right && !verdict->wrong) {
            verdict->wrong = input;
            verdict->said = run.said;
        } else {
            free(run.said);
        }
    }
}

static void try_inputs(struct hunt_verdict *verdict, const struct hunt *hunt, char *program)
{
    try_input(verdict, program, "");
    for (char **input = hunt->inputs; *input; input++)
        try_input(verdict, program, *input);
}

struct hunt_verdict hunt_judge(const struct hunt *hunt, char *source)
{
    struct hunt_verdict verdict = {.built = false};
    char *folder = text_format("%s/hunts", course.build);
    char *program = text_format("%s/%s.%s", folder, hunt->chapter, hunt->name);
    char *path = hunt_given(hunt), *given = file_read(path), *mine = file_read(source);

    folder_make(folder);
    if (given && mine) {
        verdict.changed = changed_lines(given, mine);
        verdict.checked = same_check(given, mine);
        verdict.built = lab_build(source, program, &verdict.said);
    }
    if (verdict.built) {
        free(verdict.said);
        verdict.said = NULL;
        try_inputs(&verdict, hunt, program);
    }
    free(mine);
    free(given);
    free(path);
    free(program);
    free(folder);
    return verdict;
}

bool hunt_is_found(const struct hunt *hunt, const struct hunt_verdict *verdict)
{
    return verdict->built && verdict->checked && !verdict->wrong && !verdict->findings &&
           verdict->changed <= hunt->lines;
}

void hunt_verdict_free(struct hunt_verdict *verdict)
{
    free(verdict->findings);
    free(verdict->said);
}
