// Builds and runs programs that are no steps.
#include "learn/lab.h"
#include "process/limits.h"
#include "process/process.h"
#include "course/course.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_SECONDS = 30, ARGUMENTS = 8 };

bool lab_build(char *source, char *program, char **words)
{
    char *script = text_format("%s/whole.sh", course.build);
    char *argv[] = {"sh", script, source, program, NULL};
    struct job job = {.argv = argv, .capture = true, .limited = true, .alone = true, .seconds = BUILD_SECONDS};
    struct outcome machine = build_target("machine", words), outcome = machine;

    if (machine.exit == 0) {
        free(*words);
        outcome = process_run(&job);
        *words = job.output;
    }
    free(script);
    return outcome.exit == 0;
}

struct lab_run lab_run(char *program, const char *arguments, const char *checks, const char *order)
{
    char *words = text_format("%s", arguments), *rest = words, *argv[ARGUMENTS + 2] = {program}, *word;
    struct job job = {
        .argv = argv, .checks = checks, .order = order, .limited = true, .capture = true, .seconds = RUN_SECONDS};
    struct outcome outcome;
    int count = 1;

    while ((word = strsep(&rest, " ")) && count <= ARGUMENTS)
        if (*word)
            argv[count++] = word;
    outcome = process_run(&job);
    if (outcome.why)
        job_say(&job, outcome.why);
    free(outcome.why);
    free(outcome.again);
    free(words);
    return (struct lab_run){outcome.timed_out ? 128 : outcome.exit, job.output};
}
