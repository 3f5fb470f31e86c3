// What a program reports of itself with --json, and at which n the programs of a chapter are compared.
#include "process/measure.h"
#include "process/process.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Runs the job's program with the arguments besides, and returns what it wrote to --json.
static char *job_report(struct job *job, char *program, const char *const arguments[], struct outcome *outcome)
{
    char *path = text_format("%s/ladder.%d.json", course.build, (int)getpid()), *text;
    char *argv[10] = {program, "--json", path};

    for (int i = 0; arguments[i]; i++)
        argv[3 + i] = (char *)arguments[i];
    job->argv = argv;
    *outcome = process_run(job);
    free(job->output);
    text = file_read(path);
    remove(path);
    free(path);
    return text ? text : text_format("%s", "");
}

char *program_report(const struct step *step, char *program, const char *const arguments[], struct outcome *outcome)
{
    struct job job = {.step = step, .checks = "all", .limited = true, .gpu = !step, .capture = true};

    return job_report(&job, program, arguments, outcome);
}

#define SECONDS 20 // a step that takes longer has no estimate

bool step_estimate(const struct step *step, bool own, struct estimate *e)
{
    static const char *const bench[] = {"--bench", NULL};
    struct job job = {
        .step = step, .checks = "none", .estimate = "h200", .seconds = SECONDS, .limited = true, .capture = true};
    struct outcome outcome;
    char *program = graded_path(step, own), *json = job_report(&job, program, bench, &outcome);
    const char *at = json_find(json, "estimates");
    bool found = outcome.exit == 0 && at && json_number(at, "n", &e->n) && json_number(at, "estimated_ms", &e->ms) &&
                 json_string(at, "gpu", e->gpu, sizeof e->gpu) &&
                 json_string(at, "limited_by", e->limit, sizeof e->limit) &&
                 json_number(at, "limit_share", &e->limit_share) && json_number(at, "instructions", &e->instructions) &&
                 json_number(at, "bytes", &e->bytes) && json_number(at, "issue_rate", &e->issue_rate) &&
                 json_number(at, "memory_rate", &e->memory_rate);

    free(json);
    free(program);
    return found;
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
