// The three parts that grade a program, and the look at its source before them. The runner, CTest and `grade` all use
// these, so that they cannot disagree.
#include "workbook.h"

#include <stdlib.h>
#include <string.h>

const struct part parts[PARTS] = {
    {"result", "none", "the answer is right for every input"},
    {"safety", "memory,race,init,sync", "nothing unsafe was found"},
    {"lesson", "none", "the counters show the lesson"},
};

// Runs a part once, in job's way.
static struct outcome run_once(const struct step *step, int part, const char *program, const char *seed,
                               struct job *job)
{
    char *argv[64] = {(char *)program};
    int count = 1;

    if (part < 2) {
        argv[count++] = "--check";
    } else {
        argv[count++] = "--n";
        argv[count++] = step->n;
        for (char **bound = step->bounds; *bound && count < 58; bound++) {
            argv[count++] = "--expect";
            argv[count++] = *bound;
        }
    }
    if (seed) {
        argv[count++] = "--seed";
        argv[count++] = (char *)seed;
    }
    job->argv = argv;
    job->checks = parts[part].checks;
    job->graded = true;
    free(job->output);
    job->output = NULL;
    return process_run(job);
}

struct outcome judge_part(const struct step *step, int part, const char *program, const char *seed, struct job *job)
{
    struct outcome outcome = run_once(step, part, program, seed, job);

    if (part == 0 && outcome.exit == 0) { // of warps and blocks: right by luck of scheduling is wrong
        job->order = "random:1";
        outcome = run_once(step, part, program, seed, job);
        job->order = NULL;
    }
    if (part == 0 && outcome.exit == 0 && *course.gpu) {
        char *gpu = text_format("%s.gpu", program);

        job->gpu = true;
        outcome = run_once(step, part, gpu, seed, job);
        job->gpu = false;
        free(gpu);
    }
    return outcome;
}

char *judge_source(const struct step *step, const char *source, char **altered)
{
    bool starters = strcmp(course.grade, "starters") == 0; // the author of the solutions may change everything
    char *why = starters ? manifest_check() : NULL, *given = why ? NULL : handed_out(step);

    *altered = NULL;
    if (!why && !given)
        why = text_format("refused: %s/%s: nobody knows what was handed out", step->chapter, step->name);
    if (!why)
        why = check_source(step, source, given, altered);
    if (!why && *altered && course.strict)
        why = text_format("refused: %s", *altered);
    free(given);
    return why;
}

int judge_say(const char *why, const char *altered)
{
    fflush(stdout);
    if (why)
        fprintf(stderr, "%s\n", why);
    else if (altered)
        printf("altered: %s\n  It is graded as it stands; whoever marks it sees this.\n", altered);
    return why ? 2 : 0;
}
