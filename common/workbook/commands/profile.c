// The cost of a step's program, by kernel and by line: the SIMT machine's profile of its counted run.
#include "commands/commands.h"
#include "judge/progress.h"
#include "process/measure.h"
#include "process/process.h"
#include "course/course.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct profile_options {
    const struct step *step;
    const char *n, *json, *callgrind; // NULL: not given
    bool launches;
};

// The value of SIMT_PROFILE; range: only the counted run.
static char *forms(const struct profile_options *options, bool range)
{
    return text_format("text%s%s%s%s%s%s", range ? ",range" : "", options->launches ? ",launches" : "",
                       options->json ? ",json:" : "", options->json ? options->json : "",
                       options->callgrind ? ",callgrind:" : "", options->callgrind ? options->callgrind : "");
}

// Runs the step's program with these settings of job. *output is what it printed, which the caller frees.
static struct outcome run_step(const struct profile_options *options, struct job job, char **output)
{
    char *program = graded_path(options->step, grades_own());
    char *argv[] = {program, "--n", (char *)(options->n ? options->n : options->step->n), NULL};
    struct outcome outcome;

    job.argv = argv;
    job.step = options->step;
    job.limited = job.capture = true;
    outcome = process_run(&job);
    *output = job.output;
    free(program);
    return outcome;
}

static struct outcome run_profiled(const struct profile_options *options, bool range, char **output)
{
    char *profile = forms(options, range);
    struct outcome outcome = run_step(options, (struct job){.checks = "all", .profile = profile}, output);

    free(profile);
    return outcome;
}

// Where its warps would wait on a GPU, by the machine's estimate, which takes a separate run.
static void say_waits(const struct profile_options *options)
{
    char *output, *said;

    run_step(options, (struct job){.checks = "none", .estimate = "h200,range,lines"}, &output);
    said = strstr(output, "simt: estimate: ~");
    if (said)
        printf("\nWhere warps would wait on a GPU, in Nsight Compute's words:\n\n%s", said);
    free(output);
}

// A wrong or unsafe program may end before the counted run: then the whole run is shown.
static int profile_step(const struct profile_options *options)
{
    static const char nothing[] = "\nsimt: profile: 0 launches\n";
    char *output, *empty;
    struct outcome outcome = run_profiled(options, true, &output);

    if (strstr(output, nothing) && outcome.exit != 1) {
        free(output);
        outcome = run_profiled(options, false, &output);
        printf("It ended before the run whose costs are counted%s\n",
               strstr(output, nothing) ? ", and before any kernel ran: there is nothing to show."
                                       : ". Below is all that it did until then.");
    }
    if ((empty = strstr(output, nothing)))
        *empty = 0;
    fputs(output, stdout);
    if (outcome.why)
        printf("%s\n", outcome.why);
    else
        say_waits(options);
    free(output);
    return outcome_status(outcome);
}

static int read_option(struct profile_options *options, char **argv)
{
    const char **value = strcmp(argv[0], "--n") == 0           ? &options->n
                         : strcmp(argv[0], "--json") == 0      ? &options->json
                         : strcmp(argv[0], "--callgrind") == 0 ? &options->callgrind
                                                               : NULL;

    if (!value)
        return usage_error("profile ", "unknown option", argv[0]);
    if (!argv[1] || !*argv[1])
        return usage_error("profile ", "a value is missing after", argv[0]);
    if (value != &options->n && strchr(argv[1], ','))
        return usage_error("profile ", "a file's name must hold no comma:", argv[1]);
    *value = argv[1];
    return 0;
}

// Parses the arguments; returns the exit status if that fails.
static int read_options(struct profile_options *options, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--launches") == 0) {
            options->launches = true;
        } else if (argv[i][0] == '-') {
            if (read_option(options, argv + i++) != 0)
                return 1;
        } else if (options->step) {
            return usage_error("profile ", "one step at a time, not", argv[i]);
        } else if (!(options->step = course_find(argv[i], progress_chapter()))) {
            return 1;
        }
    return 0;
}

int command_profile(int argc, char **argv)
{
    struct profile_options options = {0};

    if (read_options(&options, argc, argv) != 0)
        return 1;
    if (!options.step && !(options.step = progress_next()))
        return usage_error("profile ", "which step?", NULL);
    return build_step(options.step, grades_own()) ? profile_step(&options) : 1;
}
