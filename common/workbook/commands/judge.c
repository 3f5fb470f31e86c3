// `workbook judge SUBMISSION...`, for authors: whether the grader refuses submissions as it should. SUBMISSION is one
// of tests/submissions, CHAPTER/STEP.KIND.NAME, or CHAPTER/STEP.KIND for a whole file (judge/examples.c). It states
// which part refuses it:
//
//     result 2, safety 3 Race
//
// The stages build, source, result, safety and lesson run in this order up to the last one named; after a failed build
// the rest are skipped. Stages that are not named must pass. The number is the exit code, or `timeout`; the words
// after it must be in what the last stage printed. `right 0`: all stages pass. The hint for a common mistake must be
// that of its line.
//
// With --brief one submission in four runs all stages; its text and the tree's headers select it, so that over
// time all are selected. The others run only the parts that should refuse them; a right one runs only its result,
// in random order.
#include "commands/commands.h"
#include "judge/examples.h"
#include "judge/judge.h"
#include "process/process.h"
#include "course/course.h"
#include "course/hints.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUILD, THEN_SOURCE, THEN_PARTS, STAGES = THEN_PARTS + PARTS };

enum { SECONDS = 5, STUCK_SECONDS = 2 }; // for a run that should time out; for a host that should hang

static const char *stage_name(int stage)
{
    return stage == FIRST_BUILD ? "build" : stage == THEN_SOURCE ? "source" : parts[stage - THEN_PARTS].name;
}

enum { WHOLE = 4 }; // with --brief, one in so many runs all stages

static bool brief;
static uint64_t headers; // hash of the headers and of the course tables

static bool is_judged_whole(const struct example *e)
{
    return !brief || (text_hash(e->text) ^ headers) % WHOLE == 0;
}

// Hashes the manifest, which has the hashes of all headers and tables. 0: there is no manifest.
static uint64_t hash_headers(void)
{
    char *path = text_format("%s/common/handout.manifest", course.source), *text = file_read(path);
    uint64_t hash = text ? text_hash(text) : 0;

    free(text);
    free(path);
    return hash;
}

// A program that fails in random order is often safe, too. So random order is tried for a submission that the result
// should refuse, for a right one, and for a mistake, whose hint is that of the first part to refuse it.
static const char *order_of(const struct example *e, int part)
{
    bool right = example_is_right(e);

    if (part != PART_RESULT)
        return NULL;
    if (right && !is_judged_whole(e))
        return random_order;
    return right || e->hint || strstr(e->wanted, "result") ? NULL : "order";
}

static struct outcome run_part(const struct example *e, char *program, int part, char **said)
{
    struct submission submission = {.job = {.step = e->step,
                                            .order = order_of(e, part),
                                            .seconds = strstr(e->wanted, "timeout") ? SECONDS : 0,
                                            .patience = strstr(e->words, "host is stuck") ? STUCK_SECONDS : 0,
                                            .capture = true},
                                    .program = program,
                                    .unexplained = !e->hint};
    struct outcome outcome = judge_part(&submission, part);

    *said = submission.job.output;
    return outcome;
}

// Runs a stage with the program built from source. *said: what it printed, which the caller frees.
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

// The judgement of a submission; the caller frees all of it.
struct judgement {
    char *seen;    // what refused it: "result 2, safety 3", or "right 0"
    char *said;    // what the last stage printed
    char *refusal; // what the first refusing stage printed, from which a student's hint is chosen
    char *hint;    // the hint for it, or NULL
};

static void set(char **text, char *other)
{
    free(*text);
    *text = other;
}

// Whether a stage is skipped: with --brief, one before the part that should refuse the submission; the check of the
// source, if the program uses a library.
static bool is_spared(const struct example *e, int stage)
{
    if (stage == THEN_SOURCE && e->uses_library)
        return true;
    const char *name = stage_name(stage);

    return !is_judged_whole(e) && stage >= THEN_PARTS && !strstr(e->wanted, name) && !example_is_right(e);
}

// Runs a stage and adds its output to the judgement. False: there is no program for the next stage.
static bool add_stage(const struct example *e, char *source, char *program, int stage, struct judgement *j)
{
    char *output = NULL;
    struct outcome outcome = run_stage(e, source, program, stage, &output);
    bool endless = outcome.why && strstr(outcome.why, "is there an endless loop?");
    char *code = text_format(endless ? "timeout" : "%d", outcome_status(outcome));

    set(&j->said, text_format("%s%s\n", output ? output : "", outcome.why ? outcome.why : ""));
    if (outcome.exit != 0) {
        if (!*j->seen)
            j->refusal = text_format("%s", j->said);
        set(&j->seen, text_format("%s%s%s %s", j->seen, *j->seen ? ", " : "", stage_name(stage), code));
    }
    free(code);
    free(output);
    free(outcome.why);
    return stage != FIRST_BUILD || outcome.exit == 0;
}

// Runs the stages until they have refused it as expected.
static struct judgement run_stages(const struct example *e, char *source, char *program)
{
    struct judgement j = {.seen = text_format("%s", ""), .said = text_format("%s", "")};
    bool built = true;
    struct hints hints;

    for (int stage = 0; stage < STAGES && built && strcmp(j.seen, e->wanted) != 0; stage++)
        if (!is_spared(e, stage))
            built = add_stage(e, source, program, stage, &j);
    if (!*j.seen)
        set(&j.seen, text_format("right 0"));
    if (e->hint && j.refusal) {
        hints = hints_of(e->step, j.refusal);
        j.hint = hints.aimed ? text_format("%s", hints.aimed) : NULL;
        hints_free(&hints);
    }
    return j;
}

static bool is_hint(const struct example *e, const struct judgement *j)
{
    return !e->hint || (j->hint && strncmp(j->hint, e->hint, strlen(e->hint)) == 0);
}

static void say_difference(const struct example *e, const struct judgement *j, const char *source)
{
    printf("    wanted   %s%s%s\n", e->wanted, *e->words ? ", with the words " : "", e->words);
    if (!is_hint(e, j))
        printf("    hint     '%s' wanted first, got '%.*s'\n", e->hint, j->hint ? (int)strcspn(j->hint, "\n") : 0,
               j->hint ? j->hint : "");
    printf("    got      %s, and it printed\n%s", j->seen, j->said);
    printf("    program  %s\n    alone    %s judge %s%s\n", shown(source), program_name, brief ? "--brief " : "",
           e->place);
}

// Writes the program to folder/CHAPTER.STEP.NAME.cu. *path: that path, which the caller frees.
static bool write_source(const struct example *e, char *folder, char **path)
{
    *path = text_format("%s/%s.cu", folder, e->name);
    return folder_make(folder) && file_write(*path, e->text);
}

// Whether it is judged as expected; prints it. If not, keeps its source.
static bool judge(const struct example *e)
{
    char *folder = text_format("%s/judged/%s", course.build, e->place);
    char *program = text_format("%s/program", folder), *source;
    struct judgement j;
    bool right = false;

    folder_remove(folder);
    if (write_source(e, folder, &source)) {
        j = run_stages(e, source, program);
        right = strcmp(j.seen, e->wanted) == 0 && strstr(j.said, e->words) && is_hint(e, &j);
        printf("%s: %s%s\n", e->place, j.seen, right ? ", as it should be" : ", not as it should be");
        if (!right)
            say_difference(e, &j, source);
        free(j.seen);
        free(j.said);
        free(j.refusal);
        free(j.hint);
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
    bool writes = argc > 1 && strcmp(argv[0], "--write") == 0;
    int first, wrong = 0;
    struct examples examples = {0};
    bool read = true;

    if (argc == 1 && strcmp(argv[0], "--trials") == 0)
        return judge_print_trials(), 0;
    brief = argc > 1 && strcmp(argv[0], "--brief") == 0;
    first = writes ? 2 : brief;
    headers = brief ? hash_headers() : 0;
    if (argc == first)
        return usage_error("judge ", "expected submissions", NULL);
    course.gpu = ""; // the GPU runs this tree's programs only
    for (int i = first; i < argc; i++)
        read &= examples_read(&examples, argv[i]);
    for (int i = 0; i < examples.count && read; i++)
        wrong += writes ? !write_only(&examples.at[i], argv[1]) : !judge(&examples.at[i]);
    if (!writes && read)
        printf("%d submission%s, %d not judged as they should be\n", examples.count, examples.count == 1 ? "" : "s",
               wrong);
    examples_free(&examples);
    return wrong > 0 || !read;
}
