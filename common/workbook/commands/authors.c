// Commands for CTest and for authors: part, exec, manifest.
#include "commands/commands.h"
#include "judge/judge.h"
#include "judge/manifest.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parses the options before the step. Returns the number of words consumed.
static int part_options(struct submission *s, int argc, char **argv)
{
    int i = 0;

    for (; i + 2 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
        if (strcmp(argv[i], "--order") == 0) {
            s->job.order = argv[i + 1];
        } else if (strcmp(argv[i], "--seed") == 0) {
            s->seed = argv[i + 1];
        } else if (strcmp(argv[i], "--program") == 0) {
            s->program = argv[i + 1];
            s->interactive = true;
            course.gpu = ""; // the program built for the GPU is another one
        } else {
            break;
        }
    return i;
}

// Checks the step's source. Returns the exit status.
static int inspect_source(const struct step *step)
{
    char *path = source_path(step, grades_own()), *list = graded_list(step, grades_own()), *source = file_read(path);
    char *altered = NULL, *why = source ? judge_source(step, source, list, &altered) : NULL;
    int status = judge_print(why, altered);

    free(why);
    free(altered);
    free(source);
    free(list);
    free(path);
    return status;
}

// `part STEP PART`: the command of a CTest test. The result includes the check of the source.
int command_part(int argc, char **argv)
{
    struct submission submission = {.program = NULL};
    int options = part_options(&submission, argc, argv), part = 0, status = 0;
    const struct step *step = argc == options + 2 ? course_find(argv[options], NULL) : NULL;
    char *program = NULL;
    struct outcome outcome;

    argv += options;
    while (step && part < PARTS && strcmp(parts[part].name, argv[1]) != 0)
        part++;
    if (!step || part == PARTS)
        return usage_error("part ", "expected a step and result, safety or lesson",
                           argc > options + 1 ? argv[1] : NULL);
    submission.job.step = step;
    if (!submission.program) {
        submission.program = program = graded_path(step, grades_own());
        status = part == PART_RESULT ? inspect_source(step) : 0;
    }
    if (status == 0) {
        outcome = judge_part(&submission, part);
        status = outcome_status(outcome);
        if (outcome.why)
            fprintf(stderr, "%s/%s: %s\n", step->chapter, step->name, outcome.why);
        free(outcome.why);
        free(submission.job.output);
    }
    free(program);
    return status;
}

// Parses the options before the program. Returns what is wrong with them, or NULL.
static const char *exec_options(struct job *job)
{
    for (; job->argv[0] && strncmp(job->argv[0], "--", 2) == 0; job->argv += 2)
        if (!job->argv[1])
            return "expected a value after the option";
        else if (strcmp(job->argv[0], "--time") == 0 && atoi(job->argv[1]) > 0)
            job->seconds = atoi(job->argv[1]);
        else if (strcmp(job->argv[0], "--step") != 0 || !(job->step = course_find(job->argv[1], NULL)))
            return "expected [--time SECONDS] [--step STEP]";
    return job->argv[0] ? NULL : "expected a program";
}

// `exec [--time S] [--step STEP] PROGRAM ARGUMENTS`: runs a program as grading does; with --step, under
// that step's judge.
int command_exec(int argc, char **argv)
{
    struct job job = {.argv = argv, .graded = true};
    const char *wrong = argc > 0 ? exec_options(&job) : "expected a program";
    struct outcome outcome;

    if (wrong)
        return usage_error("exec ", wrong, job.argv[0]);
    outcome = process_run(&job);
    if (outcome.why)
        fprintf(stderr, "%s\n", outcome.why);
    free(outcome.again);
    free(outcome.why);
    free(job.output);
    return outcome_status(outcome);
}

int command_manifest(int argc, char **argv)
{
    return argc > 0 ? usage_error("manifest ", "takes no argument, was given", argv[0]) : manifest_print();
}
