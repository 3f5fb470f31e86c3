// The three parts that grade a program, and the check of its source before them. The runner, CTest and `grade` all use
// these, so that they cannot disagree.
#include "judge/judge.h"
#include "judge/check.h"
#include "judge/findings.h"
#include "judge/manifest.h"
#include "process/limits.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct part parts[PARTS] = {
    {"result", "the answer is right for every input"},
    {"safety", "nothing unsafe was found"},
    {"lesson", "the counters show the lesson"},
};

enum { ARGUMENTS = 64 };

const char random_order[] = "random:1"; // right only by luck of scheduling counts as wrong
const char every_check[] = "all,acquire";
static const char no_checks[] = "none";

// All runs that grade a program. A right program is right on a large device and safe on the smallest, which holds a
// block or two at a time. The counted run also has every check on, and uses the same device: a program cannot tell what
// is counted from what is checked.
static const struct trial trials[] = {
    {PART_RESULT, false, no_checks, NULL, LARGE_DEVICE, ALWAYS},
    {PART_RESULT, false, no_checks, random_order, LARGE_DEVICE, ALWAYS},
    {PART_RESULT, false, no_checks, random_order, SMALL_DEVICE, IF_SIZED_AND_POLLING},
    {PART_RESULT, false, no_checks, NULL, LARGE_DEVICE, ON_GPU},
    {PART_SAFETY, false, every_check, NULL, SMALL_DEVICE, ALWAYS},
    {PART_SAFETY, false, every_check, random_order, LARGE_DEVICE, IF_SIZED},
    {PART_SAFETY, false, every_check, random_order, SMALL_DEVICE, IF_POLLING},
    {PART_SAFETY, true, every_check, NULL, USUAL_DEVICE, NOT_INTERACTIVE},
    {PART_LESSON, true, no_checks, NULL, USUAL_DEVICE, ALWAYS},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static const char *const when_words[] = {
    [ALWAYS] = "always",
    [ON_GPU] = "there is a GPU: the GPU's program",
    [IF_SIZED] = "the program asks how many multiprocessors there are, or a cooperative launch was too large for one",
    [IF_SIZED_AND_POLLING] =
        "the program asks how many multiprocessors there are, and its threads wait for one another: "
        "most blocks start late",
    [IF_POLLING] = "not so, but threads wait for one another with volatile, relaxed or acquire loads, "
                   "which may then return [older values](simt.md#memory-order)",
    [NOT_INTERACTIVE] = "always, but not in `run` and `watch`",
};

void judge_print_trials(void)
{
    printf("| part | run | checks | order | multiprocessors | when |\n|---|---|---|---|---:|---|\n");
    for (const struct trial *t = trials; t < trials + TRIALS; t++)
        printf("| %s | %s | %s | %s | %d | %s |\n", parts[t->part].name,
               t->counted ? "`--n N --expect …`" : "`--check`", t->checks == every_check ? "all" : "none",
               t->order ? "random" : "in order", t->multiprocessors, when_words[t->when]);
}

const struct trial *first_trial(int part)
{
    const struct trial *t = trials;

    while (t->part != part)
        t++;
    return t;
}

// Sets up job, which is s->job or a copy of it, for a run of the program; argv has room for it.
static void prepare(const struct submission *s, const struct trial *t, char *argv[ARGUMENTS], struct job *job)
{
    int count = 0;

    argv[count++] = (char *)s->program;
    if (t->counted) {
        argv[count++] = "--n";
        argv[count++] = job->step->n;
        for (char **bound = job->step->bounds; *bound && count < ARGUMENTS - 6; bound++) {
            argv[count++] = "--expect";
            argv[count++] = *bound;
        }
    } else {
        argv[count++] = "--check";
    }
    if (s->seed) {
        argv[count++] = "--seed";
        argv[count++] = (char *)s->seed;
    }
    argv[count] = NULL;
    job->argv = argv;
    job->checks = t->checks;
    job->multiprocessors = t->multiprocessors;
    job->order = t->order ? t->order : s->job.order;
    job->graded = true;
}

// One run, whose output alone s->job keeps. On a GPU the program runs directly, in one process.
static struct outcome run_once(struct submission *s, const struct trial *t)
{
    char *argv[ARGUMENTS], *program = program_path(s->job.step, grades_own()), *gpu = text_format("%s.gpu", program);
    struct job job = s->job;
    struct outcome outcome;

    free(job.output);
    prepare(s, t, argv, &job);
    job.gpu = t->when == ON_GPU;
    if (job.gpu)
        argv[0] = gpu;
    outcome = process_run(&job);
    outcome.order = job.order;
    s->job.output = job.output;
    free(program);
    free(gpu);
    return outcome;
}

// Runs a failed result again with these checks: only its last case, in the same order. *output is its output.
static struct outcome run_again(const struct submission *s, struct outcome failed, const char *checks, char **output)
{
    char *argv[12] = {(char *)s->program, "--check"}, *options = text_format("%s", failed.again ? failed.again : "");
    struct job job = {.argv = argv,
                      .step = s->job.step,
                      .directory = s->job.directory,
                      .checks = checks,
                      .multiprocessors = LARGE_DEVICE,
                      .order = failed.order,
                      .seconds = EXPLAIN_SECONDS,
                      .patience = EXPLAINING,
                      .graded = true,
                      .capture = true};
    struct outcome again;
    int count = 2;

    for (char *rest = *options ? options : NULL, *word; (word = strsep(&rest, " ")) && count < 8;)
        argv[count++] = word;
    if (s->seed) {
        argv[count++] = "--seed";
        argv[count++] = (char *)s->seed;
    }
    again = process_run(&job);
    free(again.again);
    free(again.why);
    free(options);
    again.again = again.why = NULL;
    *output = job.output;
    return again;
}

// The input of the last failure in output, up to the end of its line, or NULL.
static const char *input_of(const char *output)
{
    static const char label[] = "\n  input   ";
    const char *found = NULL;

    for (const char *at = output; (at = strstr(at, label)); at += sizeof label - 1)
        found = at + sizeof label - 1;
    return found;
}

// The input of the repeated run if it differs, to be freed: its shape differs if no option gives that of the first run.
// NULL: it is the same.
static char *other_input(const char *failed, const char *again)
{
    const char *first = input_of(failed), *second = input_of(again);
    size_t length = second ? strcspn(second, "\n") : 0;

    if (!first || !second || strncmp(first, second, length) == 0)
        return NULL;
    return text_format("a similar input (%.*s)", (int)length, second);
}

// Where the first wrong word comes from, as the machine follows it, if it can: see docs/simt.md, SIMT_CHECK=origin.
static void print_origin(struct submission *s, struct outcome failed)
{
    static const char word[] = "simt: origin: ";
    char *output;
    struct outcome again = run_again(s, failed, "origin", &output);
    const char *found = again.exit == 2 ? strstr(output, word) : NULL;
    char *input = other_input(s->job.output, output);
    char *words = found ? text_format("The first wrong word%s%s: %.*s\n", input ? " of " : "", input ? input : "",
                                      (int)strcspn(found + sizeof word - 1, "\n"), found + sizeof word - 1)
                        : NULL;

    if (words)
        job_print(&s->job, words);
    free(input);
    free(words);
    free(output);
}

// The first finding in a captured output; NULL: it has none, or is printed already.
static char *first_finding(const struct job *job)
{
    char *line = job->output;

    while (*line && !findings_is(line))
        line = (char *)line_end(line);
    return job->capture && *line ? line : NULL;
}

// Adds what the checks find to the findings of a run that ended with one, as with a bad address, and orders them all.
// first: the first of them in the run's output. earlier, later: what the checks find before these, and after them.
static void add_findings(struct job *job, const char *first, const char *earlier, const char *later)
{
    const char *rest = findings_end(first);
    char *all = text_format("%.*s%s%.*s%s%s", (int)(first - job->output), job->output, earlier, (int)(rest - first),
                            first, later, rest);

    findings_order(all);
    free(job->output);
    job->output = all;
}

// Whether all of the findings are races: they may be effects of an index that is the same in two threads.
static bool only_races(const char *words)
{
    bool only = *words;

    for (const char *line = words; *line; line = line_end(line))
        only &= strncmp(line, "  simt: explain", 15) == 0 || strncmp(line, "  simt: error: Race ", 20) == 0 ||
                strncmp(line, "  simt: warning: Race ", 22) == 0;
    return only;
}

// Prints with the verdict of a failed result what the checks find in its last case.
static void explain(struct submission *s, struct outcome failed)
{
    char *output, *words, *later = NULL, *title;
    struct outcome again = run_again(s, failed, every_check, &output);
    char *input = other_input(s->job.output, output), *first = failed.exit == 3 ? first_finding(&s->job) : NULL;

    words = findings_list(output, s->job.output, first ? "" : "  ", first ? &later : NULL);
    title = text_format("With every check on, %s shows:\n", input ? input : "the same input");
    if (first)
        add_findings(&s->job, first, words, later);
    else if (*words)
        job_print(&s->job, title);
    else if (again.exit == 2 && strstr(s->job.output, ": wrong answer"))
        job_print(&s->job, "The checks find nothing unsafe with this input: look at the arithmetic, the indices, "
                           "and variables that were never set.\n");
    else if (again.exit == 0 && failed.exit == 2)
        job_print(&s->job,
                  "The same size alone, with every check on, is right. Look at the start and shape of the input, "
                  "at counters and flags that earlier runs leave set, and at the order of warps and blocks.\n");
    if (!first)
        job_print(&s->job, words);
    if (failed.exit == 2 && (only_races(words) || (!*words && again.exit == 2)))
        print_origin(s, failed);
    free(title);
    free(input);
    free(later);
    free(words);
    free(output);
}

static struct outcome unrepeatable(struct outcome outcome)
{
    free(outcome.again);
    outcome.again = NULL;
    return outcome;
}

// Volatile, relaxed and acquire loads: threads of the program may use these to wait for one another.
static const char *const strong_loads[] = {"ld.volatile.", "ld.relaxed.", "ld.acquire.", NULL};

// Registers that hold the number of multiprocessors, and the current one.
static const char *const device_sizes[] = {"%nsmid", "%smid", NULL};

// Whether one of the words, ended by NULL, is in the program, which contains its PTX as text.
static bool has_ptx(const char *program, const char *const *words)
{
    FILE *file = fopen(program, "r");
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    for (ssize_t length; file && !found && (length = getline(&line, &room, file)) > 0;)
        for (size_t i = 0; words[i]; i++)
            found |= memmem(line, (size_t)length, words[i], strlen(words[i])) != NULL;
    free(line);
    if (file)
        fclose(file);
    return found;
}

// Whether this program needs the run. asked: an earlier run queried the number of multiprocessors. If an order was
// requested, only that order runs.
static bool applies(const struct submission *s, const struct trial *t, bool asked)
{
    if (t->when == ALWAYS)
        return !(t->order && s->job.order);
    if (t->when == ON_GPU)
        return runs_on_gpu(s->job.step);
    if (t->when == NOT_INTERACTIVE)
        return !s->interactive;
    asked = asked || has_ptx(s->program, device_sizes);
    if (s->job.order || asked != (t->when != IF_POLLING))
        return false;
    return t->when == IF_SIZED || has_ptx(s->program, strong_loads);
}

// Whether the program meets its bounds only with checks off. Then it can tell the runs apart, by timing for instance,
// and the counted run does not behave like the checked one. Called when it has missed them with every check on; that
// run is repeated, since some counters vary between runs.
static bool bounds_met_unchecked(const struct submission *like, const struct trial *with_checks)
{
    const struct trial *runs[] = {first_trial(PART_LESSON), with_checks};
    struct submission s = *like;
    bool learnt = true;

    s.job.output = NULL;
    s.job.capture = true;
    for (int i = 0; i < 2 && learnt; i++) {
        struct outcome outcome = run_once(&s, runs[i]);

        learnt = outcome.exit == (runs[i] == with_checks ? 4 : 0);
        free(unrepeatable(outcome).why);
    }
    free(s.job.output);
    return learnt;
}

// The counted run with every check on, after safety passed. The lesson judges its counters unless they differ there. If
// this passes, s->job keeps the output of safety.
static struct outcome run_counted(struct submission *s, const struct trial *t)
{
    char *said = s->job.output;
    struct outcome outcome;

    s->job.output = NULL;
    outcome = run_once(s, t);
    if (outcome.exit == 4 && bounds_met_unchecked(s, t)) {
        outcome.exit = 3;
        job_print(&s->job, "unsafe: the bounds are met only when checks are off; "
                           "the counted run must behave like the checked one\n"
                           "  Does the program measure time, or look for something else that the checks change?\n");
    } else if (outcome.exit == 4) { // lesson missed
        outcome = unrepeatable(outcome);
        outcome.exit = 0;
    }
    if (outcome.exit == 0) {
        free(s->job.output);
        s->job.output = said;
    } else {
        free(said);
    }
    return outcome;
}

// A step's result that no GPU here has run says so: it is right on the machine alone.
static void note_machine_only(struct submission *s)
{
    static const char words[] = "graded on the SIMT machine alone: the step needs a GPU of compute capability %d.%d, "
                                "and there is none here\n";
    int arch = atoi(s->job.step->arch);

    if (!*course.gpu || runs_on_gpu(s->job.step))
        return;
    if (s->job.output) {
        char *line = text_format(words, arch / 10, arch % 10), *all = text_format("%s%s", s->job.output, line);

        free(line);
        free(s->job.output);
        s->job.output = all;
    } else {
        printf(words, arch / 10, arch % 10);
    }
}

// The part's runs from t on, while the outcome so far is right, until one is not; then its explanation.
static struct outcome run_from(struct submission *s, const struct trial *t, int part, struct outcome outcome)
{
    bool asked = outcome.asked;

    for (; t < trials + TRIALS && outcome.exit == 0; t++)
        if (t->part == part && applies(s, t, asked)) {
            outcome = t->when == NOT_INTERACTIVE ? run_counted(s, t) : run_once(s, t);
            asked |= outcome.asked;
        }
    findings_order(s->job.output);
    if (part == PART_RESULT && !s->unexplained && !strstr(s->job.output, "does not end") && // reported at once
        (outcome.exit > 128 || (outcome.again && outcome.exit >= 1 && outcome.exit <= 3)))
        explain(s, outcome);
    if (part == PART_RESULT && outcome.exit == 0)
        note_machine_only(s);
    return unrepeatable(outcome);
}

struct outcome judge_part(struct submission *s, int part)
{
    return run_from(s, trials, part, (struct outcome){0});
}

// One of the concurrent runs of a program: the result in random order, safety or the lesson.
struct run {
    const struct trial *trial;
    char *argv[ARGUMENTS];
    struct job job;
    struct process process;
    struct outcome outcome;
    enum { GOING, ENDED, STOPPED } state;
};

struct judging {
    struct submission *submission;
    struct run runs[PARTS];
};

struct judging *judge_open(struct submission *s)
{
    struct judging *judging = checked(calloc(1, sizeof *judging));

    judging->submission = s;
    for (int part = 0; part < PARTS; part++) {
        struct run *run = &judging->runs[part];

        run->trial = first_trial(part) + (part == PART_RESULT);
        run->job = s->job;
        prepare(s, run->trial, run->argv, &run->job);
        process_start(&run->job, &run->process);
    }
    return judging;
}

static void end(struct run *run)
{
    if (run->state == GOING) {
        run->outcome = unrepeatable(process_wait(&run->process));
        run->state = ENDED;
    }
}

static bool is_right(struct run *run)
{
    end(run);
    return run->state == ENDED && run->outcome.exit == 0;
}

static void stop(struct run *run)
{
    if (run->state == GOING) {
        process_stop(&run->process);
        run->state = STOPPED;
    }
}

struct outcome judge_take(struct judging *judging, int part)
{
    struct run *run = &judging->runs[part];
    struct submission *s = judging->submission;

    if (part == PART_RESULT && !(is_right(run) && is_right(&judging->runs[PART_SAFETY]))) {
        stop(&judging->runs[PART_SAFETY]); // result or safety fails: all cores go to the failing part
        stop(&judging->runs[PART_LESSON]);
        return judge_part(s, part);
    }
    end(run);
    if (run->state == STOPPED)
        return judge_part(s, part);
    free(s->job.output);
    s->job.output = run->job.output;
    run->job.output = NULL;
    return run_from(s, run->trial + 1, part, run->outcome);
}

void judge_close(struct judging *judging)
{
    for (int part = 0; judging && part < PARTS; part++) {
        stop(&judging->runs[part]);
        free(judging->runs[part].job.output);
    }
    free(judging);
}

uint64_t judge_hash(const struct step *step)
{
    static uint64_t *keys; // of course.steps; 0: not known yet
    uint64_t *key;

    keys = keys ? keys : checked(calloc((size_t)course.count, sizeof *keys));
    key = &keys[step - course.steps];
    if (*key == 0) {
        char *manifest = text_format("%s/common/handout.manifest", course.source), *judge = judge_path(step);
        const char *files[] = {manifest, judge, course.library};

        for (int i = 0; i < 3; i++)
            *key = *key * 31 + bytes_hash(files[i]);
        free(judge);
        free(manifest);
    }
    return *key;
}

char *judge_source(const struct step *step, const char *source, const char *list, char **altered)
{
    bool starters = strcmp(course.grade, "starters") == 0; // the author of the solutions may change everything
    char *why = starters ? manifest_check() : NULL, *given = why ? NULL : handed_out(step);

    *altered = NULL;
    if (!why && !given)
        why = text_format("refused: %s/%s: there is no record of the file as handed out", step->chapter, step->name);
    if (!why)
        why = check_source(step, source, given, altered);
    if (!why && list)
        why = check_headers(step, list);
    if (!why && *altered && course.strict)
        why = text_format("refused: %s", *altered);
    free(given);
    return why;
}

int judge_print(const char *why, const char *altered)
{
    fflush(stdout);
    if (why)
        fprintf(stderr, "%s\n", why);
    else if (altered)
        printf("altered: %s\n  It is graded with this change, and the grader sees this line.\n", altered);
    return why ? 2 : 0;
}
