// Builds and runs programs that are not steps.
#include "learn/lab.h"
#include "judge/findings.h"
#include "judge/judge.h"
#include "process/process.h"
#include "base/files.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_SECONDS = 30, ARGUMENTS = 8, SKIPPED = 77, STOPPED = 128 };

bool lab_build(char *arch, char *source, char *program, char **words)
{
    if (build_target("machine", words).exit != 0)
        return false;
    free(*words);
    return build_program("whole", arch, source, program, words).exit == 0;
}

static struct lab_run run_program(char *program, const char *arguments, struct job job)
{
    char *words = text_format("%s", arguments), *rest = words, *argv[ARGUMENTS + 2] = {program}, *word;
    struct outcome outcome;
    int count = 1;

    while ((word = strsep(&rest, " ")) && count <= ARGUMENTS)
        if (*word)
            argv[count++] = word;
    job.argv = argv;
    job.limited = job.capture = job.repeatable = job.confined = true;
    job.seconds = RUN_SECONDS;
    outcome = process_run(&job);
    if (outcome.why && !outcome.timed_out && outcome.exit == SKIPPED) { // not the program's fault
        fprintf(stderr, "workbook: %s: %s\n", shown(program), outcome.why);
        exit(SKIPPED);
    }
    if (outcome.why)
        job_print(&job, outcome.why);
    free(outcome.why);
    free(outcome.again);
    free(words);
    return (struct lab_run){outcome.timed_out ? STOPPED : outcome.exit, job.output};
}

struct lab_run lab_run(char *program, const char *arguments, const char *checks, const char *order)
{
    return run_program(program, arguments, (struct job){.checks = checks, .order = order});
}

char *lab_counts(char *program, const char *arguments)
{
    char *path = text_format("%s.json", program), *json = NULL;
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666); // before the sandbox closes
    char *profile = text_format("json:/dev/fd/%d,range", file);
    struct lab_run ran;

    ran = run_program(program, arguments, (struct job){.checks = "none", .order = "order", .profile = profile});
    close(file);
    if (ran.exit == 0)
        json = file_read(path);
    free(ran.said);
    free(profile);
    free(path);
    return json;
}

// ---- trials

// The runs of each input. The smallest device holds a block or two at a time: a block that waits for one that cannot
// start is stuck there.
static const struct setting {
    const char *order;
    enum { USUAL, SMALLEST, LARGE } device;
    bool may_stop; // a slow program may reach the limit of time: what the machine has found until then counts
} settings[] = {{"order", USUAL, false}, {"random:1", SMALLEST, false}, {"random:2", LARGE, false}},
  more_blocks = {"random:1", SMALLEST, true};

// The blocks of a cluster run on several multiprocessors, so programs for 9.0 get some on the smallest device, too.
static int multiprocessors(int device, const char *arch)
{
    return device == LARGE ? LARGE_DEVICE : device == USUAL || atoi(arch) >= 90 ? USUAL_DEVICE : SMALL_DEVICE;
}

// The findings in a program's output, each with its explanation, causes before effects; NULL: none.
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

// Runs program on an input with one setting.
static void try_run(struct lab_trial *trial, char *program, const char *arch, const char *input,
                    const struct setting *setting)
{
    int count = multiprocessors(setting->device, arch);
    struct job job = {.checks = every_check, .order = setting->order, .multiprocessors = count};
    struct lab_run run = run_program(program, input, job);
    bool right = is_right(&run) || (setting->may_stop && run.exit == STOPPED);

    if (!trial->findings)
        trial->findings = findings_in(run.said);
    if (!right && !trial->wrong) {
        trial->wrong = input;
        trial->order = setting->order;
        trial->said = run.said;
    } else {
        free(run.said);
    }
}

// Runs program on an input with all settings, until both a finding and a wrong answer are known.
static void try_input(struct lab_trial *trial, char *program, const char *arch, const char *input)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !(trial->findings && trial->wrong); i++)
        try_run(trial, program, arch, input, &settings[i]);
}

struct lab_trial lab_try(char *program, const char *arch, const char *const *inputs, bool own, const char *counted)
{
    struct lab_trial trial = {NULL, NULL, NULL, NULL};

    if (own)
        try_input(&trial, program, arch, "");
    for (; *inputs; inputs++)
        try_input(&trial, program, arch, *inputs);
    if (counted && !trial.findings && !trial.wrong)
        try_run(&trial, program, arch, counted, &more_blocks);
    return trial;
}
