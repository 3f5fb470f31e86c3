// Builds a step's program, gets its report (--json), and chooses the n at which the programs of a chapter are compared.
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
#include <sys/stat.h>
#include <unistd.h>

// Runs the job's program with these further arguments, and returns what it wrote to --json.
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

char *program_report(const struct step *step, const char *checks, char *program, const char *const arguments[],
                     struct outcome *outcome)
{
    struct job job = {.step = step, .checks = checks, .limited = true, .gpu = !step, .capture = true};

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

// ---- builds

// The objects of a step: the one of all its programs, and the one for NCCL.
enum { OBJECTS = 2 };

static char *object_path(const struct step *step, bool own, int which)
{
    static const char *const ends[OBJECTS] = {".o", ".nccl.o"};

    return text_format("%s/objects/%s%s/%s%s", course.build, own ? "" : "solutions/", step->chapter, step->name,
                       ends[which]);
}

void forget_objects(const struct step *step, bool own)
{
    for (int i = 0; i < OBJECTS; i++) {
        char *object = object_path(step, own, i);

        remove(object);
        free(object);
    }
}

// Whether the object exists and was compiled from this text, which compile.sh keeps beside it.
static bool is_compiled_from(const char *object, const char *text)
{
    char *path = text_format("%s.source", object), *kept = file_read(path);
    bool is = file_is(object) && kept && strcmp(kept, text) == 0;

    free(kept);
    free(path);
    return is;
}

// Whether every object of the step is of the file as it stands, and the graded program exists.
static bool is_compiled(const struct step *step, bool own)
{
    char *path = source_path(step, own), *text = file_read(path);
    bool is = text != NULL;

    for (int i = 0; i < OBJECTS && is; i++) {
        char *object = object_path(step, own, i);

        is = is_compiled_from(object, text) || (i > 0 && !file_is(object));
        free(object);
    }
    free(text);
    free(path);
    return is;
}

// Whether the graded program was linked after its object was made.
static bool is_linked(const struct step *step, bool own)
{
    char *object = object_path(step, own, 0), *program = graded_path(step, own);
    struct stat of_object, of_program;
    bool is = stat(object, &of_object) == 0 && stat(program, &of_program) == 0 &&
              (of_program.st_mtim.tv_sec > of_object.st_mtim.tv_sec ||
               (of_program.st_mtim.tv_sec == of_object.st_mtim.tv_sec &&
                of_program.st_mtim.tv_nsec >= of_object.st_mtim.tv_nsec));

    free(program);
    free(object);
    return is;
}

bool step_is_built(const struct step *step, bool own)
{
    return (is_compiled(step, own) && is_linked(step, own)) || build_step(step, own);
}

bool build_step(const struct step *step, bool own)
{
    char *target = target_name(step, own), *words;
    struct outcome outcome;

    if (!is_compiled(step, own))
        forget_objects(step, own);
    outcome = build_target(target, &words);
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
