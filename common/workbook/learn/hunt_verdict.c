// A hunt is over when the machine finds nothing on any input in any order, every answer is right, few lines have
// changed, the words that stay are there, and the checking part of the program is untouched.
#include "learn/hunt_verdict.h"
#include "learn/lab.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK "\n// The check: leave it as it is.\n" // from here to the end

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

// Whether two lines are equal except for trailing blanks.
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
        verdict.kept = strstr(mine, hunt->keep) != NULL;
        verdict.built = lab_build(hunt->arch, source, program, &verdict.said);
    }
    if (verdict.built) {
        struct lab_trial trial = lab_try(program, hunt->arch, (const char *const *)hunt->inputs, true, NULL);

        free(verdict.said);
        verdict.said = trial.said;
        verdict.findings = trial.findings;
        verdict.wrong = trial.wrong;
        verdict.order = trial.order;
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
    return verdict->built && verdict->checked && verdict->kept && !verdict->wrong && !verdict->findings &&
           verdict->changed <= hunt->lines;
}

void hunt_verdict_free(struct hunt_verdict *verdict)
{
    free(verdict->findings);
    free(verdict->said);
}
