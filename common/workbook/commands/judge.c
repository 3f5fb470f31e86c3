// `workbook judge SUBMISSION...`: does the grader refuse submissions as it should? For authors. SUBMISSION is one of
// tests/submissions, CHAPTER/STEP.KIND.NAME, or CHAPTER/STEP.KIND: all of a file (judge/examples.c). It says what
// refuses it:
//
//     result 2, safety 3 Race
//
// The stages build, source, result, safety and lesson run in this order up to the last one named; behind a build that
// fails nothing runs. Those that are not named pass. The number is the exit code, or `timeout`; the words after it
// stand in what the last stage printed. `right 0`: all stages pass.
#include "commands/commands.h"
#include "judge/examples.h"
#include "judge/judge.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUILD, THEN_SOURCE, THEN_PARTS, STAGES = THEN_PARTS + PARTS };

enum { SECONDS = 5, STUCK_SECONDS = 2 }; // of a run that is to time out; of a host that is to be stuck

static const char *stage_name(int stage)
{
    return stage == FIRST_BUILD ? "build" : stage == THEN_SOURCE ? "source" : parts[stage - THEN_PARTS].name;
}

// What a random order refuses is often safe, too: it is tried of a submission that the result is to refuse, or right.
static struct outcome run_part(const struct example *e, char *program, int part, char **said)
{
    bool any_order = part != PART_RESULT || strstr(e->wanted, "result") || strstr(e->wanted, "right");
    struct submission submission = {.job = {.step = e->step,
                                            .order = any_order ? NULL : "order",
                                            .seconds = strstr(e->wanted, "timeout") ? SECONDS : 0,
                                            .patience = strstr(e->words, "host is stuck") ? STUCK_SECONDS : 0,
                                            .capture = true},
                                    .program = program,
                                    .unexplained = true};
    struct outcome outcome = judge_part(&submission, part);

    *said = submission.job.output;
    return outcome;
}

// Runs a stage with the program that is built from source. *said: what it printed, to be freed.
static struct outcome run_stage(const struct example *e, char *source, char *program, int stage, char **said)
{
    struct outcome outcome = {0};
    char *list, *altered;

    if (stage == FIRST_BUILD) {
        outcome = build_program("graded", e->step->arch, source, program, said);
        outcome.exit = outcome.exit != 0;
    } else if (stage == THEN_SOURCE) {
        list = text_format("%s.d", program);
        *said = judge_source(e->step, e->text, list, &altered);
        outcome.exit = *said ? 2 : 0;
        free(altered);
        free(list);
    } else {
        outcome = run_part(e, program, stage - THEN_PARTS, said);
    }
    return outcome;
}

// Runs the stages until they have refused it as wanted. Returns what refused it, to be freed, and what the last stage
// printed.
static char *run_stages(const struct example *e, char *source, char *program, char **said)
{
    char *seen = text_format("%s", "");
    bool built = true;

    *said = text_format("%s", "");
    for (int stage = 0; stage < STAGES && built && strcmp(seen, e->wanted) != 0; stage++) {
        char *output = NULL, *before = seen;
        struct outcome outcome = run_stage(e, source, program, stage, &output);
        bool endless = outcome.why && strstr(outcome.why, "is there an endless loop?");
        char *code = text_format(endless ? "timeout" : "%d", outcome_status(outcome));

        free(*said);
        *said = text_format("%s%s\n", output ? output : "", outcome.why ? outcome.why : "");
        seen = outcome.exit == 0 ? text_format("%s", before)
                                 : text_format("%s%s%s %s", before, *before ? ", " : "", stage_name(stage), code);
        built = stage != FIRST_BUILD || outcome.exit == 0;
        free(before);
        free(code);
        free(output);
        free(outcome.why);
    }
    return *seen ? seen : (free(seen), text_format("right 0"));
}

static void say_difference(const struct example *e, const char *seen, const char *said, const char *source)
{
    printf("    wanted   %s%s%s\n", e->wanted, *e->words ? ", with the words " : "", e->words);
    printf("    got      %s, and it printed\n%s", seen, said);
    printf("    program  %s\n    alone    %s judge %s\n", shown(source), program_name, e->place);
}

// Writes the program to folder/CHAPTER.STEP.NAME.cu. *path: that, to be freed.
static bool write_source(const struct example *e, char *folder, char **path)
{
    *path = text_format("%s/%s.cu", folder, e->name);
    return folder_make(folder) && file_write(*path, e->text);
}

// Whether it is judged as it should be; prints it. The source of one that is not stays.
static bool judge(const struct example *e)
{
    char *folder = text_format("%s/judged/%s", course.build, e->place), *said = NULL, *seen;
    char *program = text_format("%s/program", folder), *source;
    bool right = false;

    folder_remove(folder);
    if (write_source(e, folder, &source)) {
        seen = run_stages(e, source, program, &said);
        right = strcmp(seen, e->wanted) == 0 && strstr(said, e->words);
        printf("%s: %s%s\n", e->place, seen, right ? ", as it should be" : ", not as it should be");
        if (!right)
            say_difference(e, seen, said, source);
        free(seen);
        free(said);
    }
    fflush(stdout);
    if (right)
        folder_remove(folder);
    free(program);
    free(source);
    free(folder);
    return right;
}

static bool write_only(const struct example *e, char *folder)
{
    char *path;
    bool written = write_source(e, folder, &path);

    free(path);
    return written;
}

int command_judge(int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[0], "--write") == 0 ? 2 : 0, wrong = 0;
    struct examples examples = {0};
    bool read = true;

    if (argc == 1 && strcmp(argv[0], "--trials") == 0)
        return judge_print_trials(), 0;
    if (argc == first)
        return usage_error("judge ", "expected submissions", NULL);
    course.gpu = ""; // the programs on it are this tree's
    for (int i = first; i < argc; i++)
        read &= examples_read(&examples, argv[i]);
    for (int i = 0; i < examples.count && read; i++)
        wrong += first ? !write_only(&examples.at[i], argv[1]) : !judge(&examples.at[i]);
    if (!first && read)
        printf("%d submission%s, %d not judged as they should be\n", examples.count, examples.count == 1 ? "" : "s",
               wrong);
    examples_free(&examples);
    return wrong > 0 || !read;
}
