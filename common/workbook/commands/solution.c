// The difference between a student's file and the reference solution.
#include "commands/commands.h"
#include "commands/solution.h"
#include "judge/progress.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_difference(const char *text)
{
    const char *begin = strstr(text, "\n@@"); // skips the two lines that name the files

    printf("%s- yours%s, %s+ the reference%s\n", colour("red"), colour("off"), colour("green"), colour("off"));
    for (const char *line = begin ? begin + 1 : text; *line;) {
        int length = (int)strcspn(line, "\n");
        const char *tint = *line == '+' ? "green" : *line == '-' ? "red" : *line == '@' ? "dim" : "off";

        printf("%s%.*s%s\n", colour(tint), length, line, colour("off"));
        line += length + (line[length] == '\n');
    }
}

static int compare(char *mine, char *reference)
{
    char *argv[] = {"diff", "-u", mine, reference, NULL};
    struct job job = {.argv = argv, .capture = true};
    struct outcome outcome = process_run(&job);

    if (outcome.exit == 0)
        printf("%s is the reference solution\n", shown(mine));
    else if (outcome.exit == 1)
        say_difference(job.output);
    else
        fprintf(stderr, "workbook: cannot compare %s and %s: %s", mine, reference, job.output);
    free(job.output);
    return outcome.exit > 1;
}

bool may_see_solution(const struct step *step, bool force)
{
    char *place;

    if (force || (progress_of(step)->state == PASSED && !progress_stale(step)))
        return true;
    place = step_place(step);
    fprintf(stderr,
            "workbook: %s/%s has not passed%s\n  `%s run %s` grades it, `%s solution %s --force` shows it now\n",
            step->chapter, step->name, progress_stale(step) ? " as it stands" : "", program_name, place, program_name,
            place);
    free(place);
    return false;
}

int command_solution(int argc, char **argv)
{
    const struct step *step = NULL;
    char *mine, *reference;
    bool force = false;
    int status = 1;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--force") == 0)
            force = true;
        else if (argv[i][0] == '-')
            return usage_error("solution ", "unknown option", argv[i]);
        else if (step)
            return usage_error("solution ", "one step at a time, not", argv[i]);
        else if (!(step = course_find(argv[i], progress_chapter())))
            return 1;
    }
    if (!step)
        return usage_error("solution ", "which step?", NULL);
    mine = source_path(step, true);
    reference = source_path(step, false);
    if (!file_is(reference))
        fprintf(stderr, "workbook: there is no %s: a hand-out comes without solutions\n", reference);
    else if (!file_is(mine))
        fprintf(stderr, "workbook: cannot read %s\n", mine);
    else if (may_see_solution(step, force))
        status = compare(mine, reference);
    free(reference);
    free(mine);
    return status;
}
