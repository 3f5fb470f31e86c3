// What a program reports of itself with --json, and at which n the programs of a chapter are compared.
#include "process/measure.h"
#include "process/process.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *program_report(const struct step *step, char *program, const char *const arguments[], struct outcome *outcome)
{
    char *path = text_format("%s/ladder.%d.json", course.build, (int)getpid()), *text;
    char *argv[10] = {program, "--json", path};
    struct job job = {.argv = argv, .step = step, .checks = "all", .limited = true, .gpu = !step, .capture = true};

    for (int i = 0; arguments[i]; i++)
        argv[3 + i] = (char *)arguments[i];
    *outcome = process_run(&job);
    free(job.output);
    text = file_read(path);
    remove(path);
    free(path);
    return text ? text : text_format("%s", "");
}

bool build_step(const struct step *step, bool own)
{
    char *target = target_name(step, own), *words;
    struct outcome outcome = build_target(target, &words);

    if (outcome.exit != 0) {
        bar_wipe();
        fputs(words, stderr);
    }
    free(words);
    free(target);
    return outcome.exit == 0;
}

const char *common_n(const char *chapter)
{
    const char *largest = "1", *smallest = NULL;

    for (int i = 0; i < course.count; i++) {
        const char *n = course.steps[i].n;

        if (strcmp(course.steps[i].chapter, chapter) != 0)
            continue;
        largest = atoll(n) > atoll(largest) ? n : largest;
        smallest = !smallest || atoll(n) < atoll(smallest) ? n : smallest;
    }
    return !smallest || atoll(largest) <= 16 * atoll(smallest) ? largest : NULL;
}
