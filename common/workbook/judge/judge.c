// The three parts that grade a program, and the look at its source before them. The runner, CTest and `grade` all use
// these, so that they cannot disagree.
#include "judge/judge.h"
#include "judge/check.h"
#include "judge/findings.h"
#include "judge/manifest.h"
#include "process/limits.h"
#include "process/process.h"
#include "course/course.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A right program is right on a large device and on a small one, which holds a few blocks at a time.
const struct part parts[PARTS] = {
    {"result", "none", "the answer is right for every input", 132},
    {"safety", "all,acquire", "nothing unsafe was found", 1},
    {"lesson", "none", "the counters show the lesson", 0},
};

enum { ARGUMENTS = 64 };

static const char random_order[] = "random:1"; // of warps and blocks: right by luck of scheduling is wrong

// Sets up job for one run of a part.
static void prepare(const struct step *step, int part, const char *program, const char *seed, char *argv[ARGUMENTS],
                    struct job *job)
{
    int count = 0;

    argv[count++] = (char *)program;
    if (part < 2) {
        argv[count++] = "--check";
    } else {
        argv[count++] = "--n";
        argv[count++] = step->n;
        for (char **bound = step->bounds; *bound && count < ARGUMENTS - 6; bound++) {
            argv[count++] = "--expect";
            argv[count++] = *bound;
        }
    }
    if (seed) {
        argv[count++] = "--seed";
        argv[count++] = (char *)seed;
    }
    argv[count] = NULL;
    job->argv = argv;
    job->step = step;
    job->checks = parts[part].checks;
    job->multiprocessors = parts[part].multiprocessors;
    job->graded = true;
}

// Runs a part once, in job's way.
static struct outcome run_once(const struct step *step, int part, const char *program, const char *seed,
                               struct job *job)
{
    char *argv[ARGUMENTS];

    prepare(step, part, program, seed, argv, job);
    free(job->output);
    job->output = NULL;
    return process_run(job);
}

// The text without the digits of its addresses, 0x7ffe6b163da0: they differ from run to run. To be freed.
static char *without_addresses(const char *text)
{
    char *out = text_format("%s", text), *to = out;

    for (const char *from = text; *from;) {
        bool address = strncmp(from, "0x", 2) == 0;

        *to++ = *from++;
        if (address) {
            *to++ = *from++;
            from += strspn(from, "0123456789abcdef");
        }
    }
    *to = 0;
    return out;
}

// Whether output, which is without addresses, has the line already.
static bool has_line(const char *output, const char *line)
{
    char *words = without_addresses(line);
    bool has = strstr(output, words) != NULL;

    free(words);
    return has;
}

// The first finding of each kind in output, in the order of cause and effect, unless before has the line. A kind is
// the word after "simt: error: ".
static char *list_findings(char *output, const char *before)
{
    char *words = text_format("%s", ""), *said = without_addresses(before);

    findings_order(output);
    for (const char *line = output; *line; line = line_end(line)) {
        char *text = text_format("%.*s", (int)strcspn(line, "\n"), line), *longer;
        const char *colon = findings_is(line) ? strstr(text + 6, ": ") : NULL;
        char *kind = text_format("%.*s ", colon ? (int)strcspn(colon + 2, " ") + 2 : 0, colon ? colon : "");

        if (colon && !strstr(words, kind) && !has_line(said, text)) {
            longer = text_format("%s  %s\n", words, text);
            free(words);
            words = longer;
        }
        free(kind);
        free(text);
    }
    free(said);
    return words;
}

// Runs a result that failed again, its last case alone and in the same order, with these checks. The output is in job.
static struct outcome run_again(const struct step *step, const char *program, const char *seed,
                                const struct job *failed, struct outcome outcome, const char *checks, struct job *job)
{
    char *argv[12] = {(char *)program, "--check"}, *options = text_format("%s", outcome.again ? outcome.again : "");
    struct outcome again;
    int count = 2;

    *job = (struct job){.argv = argv,
                        .step = step,
                        .directory = failed->directory,
                        .checks = checks,
                        .multiprocessors = failed->multiprocessors,
                        .order = outcome.order,
                        .seconds = EXPLAIN_SECONDS,
                        .patience = EXPLAINING,
                        .graded = true,
                        .capture = true};
    for (char *rest = *options ? options : NULL, *word; (word = strsep(&rest, " ")) && count < 8;)
        argv[count++] = word;
    if (seed) {
        argv[count++] = "--seed";
        argv[count++] = (char *)seed;
    }
    again = process_run(job);
    job->argv = NULL;
    free(again.again);
    free(again.why);
    free(options);
    again.again = again.why = NULL;
    return again;
}

// Where the first wrong word comes from, as the machine follows it, if it can: see docs/simt.md, SIMT_CHECK=origin.
static void say_origin(const struct step *step, const char *program, const char *seed, struct job *failed,
                       struct outcome outcome)
{
    static const char word[] = "simt: origin: ";
    struct job job;
    struct outcome again = run_again(step, program, seed, failed, outcome, "origin", &job);
    const char *found = again.exit == 2 ? strstr(job.output, word) : NULL;
    char *words = found ? text_format("The first wrong word: %.*s\n", (int)strcspn(found + sizeof word - 1, "\n"),
                                      found + sizeof word - 1)
                        : NULL;

    if (words)
        job_say(failed, words);
    free(words);
    free(job.output);
}

// Says under the verdict of a result that failed what the checks find in its last case.
static void explain(const struct step *step, const char *program, const char *seed, struct job *failed,
                    struct outcome outcome)
{
    struct job job;
    struct outcome again = run_again(step, program, seed, failed, outcome, parts[1].checks, &job);
    char *words = list_findings(job.output, failed->output);

    if (*words)
        job_say(failed, "With every check on, the same input shows:\n");
    else if (again.exit == 2 && strstr(failed->output, ": wrong answer"))
        job_say(failed,
                "The checks find nothing unsafe with this input: look at the arithmetic, the indices, and variables "
                "that were never set.\n");
    else if (again.exit == 0 && outcome.exit == 2)
        job_say(failed,
                "The same size alone, with every check on, is right. Look at the start and shape of the input, at "
                "counters and flags that earlier runs leave set, and at the order of warps and blocks.\n");
    job_say(failed, words);
    if (!*words && again.exit == 2)
        say_origin(step, program, seed, failed, outcome);
    free(words);
    free(job.output);
}

// On a GPU the program runs as it is, in one process.
static struct outcome run_on_gpu(const struct step *step, const char *seed, struct job *job)
{
    char *program = program_path(step, grades_own()), *gpu = text_format("%s.gpu", program);
    struct outcome outcome;

    job->gpu = true;
    outcome = run_once(step, 0, gpu, seed, job);
    job->gpu = false;
    free(program);
    free(gpu);
    return outcome;
}

static struct outcome unrepeatable(struct outcome outcome)
{
    free(outcome.again);
    outcome.again = NULL;
    return outcome;
}

// What comes after the runs of a result on the SIMT machine: the GPU, if they are right, and what explains a failure.
static struct outcome end_result(const struct step *step, const char *program, const char *seed, struct job *job,
                                 struct outcome outcome)
{
    if (outcome.exit == 0 && *course.gpu)
        outcome = run_on_gpu(step, seed, job);
    if (!strstr(job->output, "does not end") && // that is reported at once
        (outcome.exit > 128 || (outcome.again && outcome.exit >= 1 && outcome.exit <= 3)))
        explain(step, program, seed, job, outcome);
    return unrepeatable(outcome);
}

// Volatile, relaxed and acquire loads: by these threads of the program may wait for one another.
static const char *const strong_loads[] = {"ld.volatile.", "ld.relaxed.", "ld.acquire.", NULL};

// How many multiprocessors there are, and which of them runs this.
static const char *const device_sizes[] = {"%nsmid", "%smid", NULL};

// Does one of the words, up to NULL, stand in the program? PTX is text there.
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

// A part that was right in order runs again in a random one, unless job names its order: the result, and the safety of
// programs whose loads may give older values there (the SIMT machine's weak memory). And of those that may do otherwise
// on a larger device, this time on a large one: safety was right on the smallest.
static struct outcome run_random(const struct step *step, int part, const char *program, const char *seed,
                                 struct job *job, struct outcome outcome)
{
    bool sized = part == 1 && (outcome.asked || has_ptx(program, device_sizes));
    char *argv[ARGUMENTS];

    if (outcome.exit != 0 || part > 1 || job->order || (part == 1 && !sized && !has_ptx(program, strong_loads)))
        return outcome;
    prepare(step, part, program, seed, argv, job);
    if (sized)
        job->multiprocessors = parts[0].multiprocessors;
    free(job->output);
    job->output = NULL;
    job->order = random_order;
    outcome = process_run(job);
    outcome.order = job->order;
    job->order = NULL;
    return outcome;
}

// The run of the lesson. job has the output of this run alone.
static struct outcome run_lesson(const struct step *step, const char *program, const char *seed, const char *checks,
                                 struct job *job)
{
    char *argv[ARGUMENTS];

    prepare(step, 2, program, seed, argv, job);
    job->checks = checks;
    free(job->output);
    job->output = NULL;
    return process_run(job);
}

// Does the program meet its bounds only with checks off? Then it can tell the runs apart, by timing for instance, and
// the counted run does not behave like the checked one. Called when it has missed them with every check on. That run
// is repeated, since some counters vary by chance.
static bool learnt_unchecked(const struct step *step, const char *program, const char *seed, const struct job *like)
{
    struct job job = *like;
    struct outcome outcome;
    bool learnt;

    job.output = NULL;
    job.capture = true;
    outcome = run_lesson(step, program, seed, parts[2].checks, &job);
    learnt = outcome.exit == 0;
    free(unrepeatable(outcome).why);
    if (learnt) {
        outcome = run_lesson(step, program, seed, parts[1].checks, &job);
        learnt = outcome.exit == 4;
        free(unrepeatable(outcome).why);
    }
    free(job.output);
    return learnt;
}

// Safety that was right: the run of the lesson, with every check on and on the same device, so that a program cannot
// tell what is counted from what is checked. Its counters are the lesson's to judge, unless they differ there.
static struct outcome run_counted(const struct step *step, int part, const char *program, const char *seed,
                                  struct job *job, struct outcome outcome)
{
    char *said = job->output;

    if (part != 1 || outcome.exit != 0)
        return outcome;
    job->output = NULL;
    outcome = run_lesson(step, program, seed, parts[1].checks, job);
    if (outcome.exit == 4 && learnt_unchecked(step, program, seed, job)) {
        outcome.exit = 3;
        job_say(job, "unsafe: the bounds are met only when checks are off; the counted run must behave like the "
                     "checked one\n"
                     "  Does the program measure time, or look for something else that the checks change?\n");
    } else if (outcome.exit == 4) { // not learnt
        outcome = (struct outcome){0};
    }
    if (outcome.exit == 0) {
        free(job->output);
        job->output = said;
    } else {
        free(said);
    }
    return outcome;
}

struct outcome judge_part(const struct step *step, int part, const char *program, const char *seed, struct job *job)
{
    struct outcome outcome = run_once(step, part, program, seed, job);

    outcome.order = job->order;
    outcome = run_random(step, part, program, seed, job, outcome);
    outcome = run_counted(step, part, program, seed, job, outcome);
    findings_order(job->output);
    return part == 0 ? end_result(step, program, seed, job, outcome) : unrepeatable(outcome);
}

// One of the runs of a program that go on side by side: the result in random order, safety and the lesson.
struct run {
    char *argv[ARGUMENTS];
    struct job job;
    struct process process;
    struct outcome outcome;
    enum { GOING, ENDED, STOPPED } state;
};

struct judging {
    const struct step *step;
    const char *program;
    struct run runs[PARTS];
};

struct judging *judge_open(const struct step *step, const char *program, const struct job *job)
{
    struct judging *judging = checked(calloc(1, sizeof *judging));

    judging->step = step;
    judging->program = program;
    for (int part = 0; part < PARTS; part++) {
        struct run *run = &judging->runs[part];

        run->job = *job;
        run->job.order = part == 0 ? random_order : NULL;
        prepare(step, part, program, NULL, run->argv, &run->job);
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

struct outcome judge_take(struct judging *judging, int part, struct job *job)
{
    struct run *run = &judging->runs[part];
    struct outcome outcome;

    if (part == 0 && !(is_right(run) && is_right(&judging->runs[1]))) {
        stop(&judging->runs[1]); // the result fails, or safety does, and all cores are for the one that says so
        stop(&judging->runs[2]);
        return judge_part(judging->step, part, judging->program, NULL, job);
    }
    end(run);
    if (run->state == STOPPED)
        return judge_part(judging->step, part, judging->program, NULL, job);
    free(job->output);
    job->output = run->job.output;
    run->job.output = NULL;
    if (part == 0)
        return end_result(judging->step, judging->program, NULL, job, run->outcome);
    outcome = unrepeatable(run_random(judging->step, part, judging->program, NULL, job, run->outcome));
    findings_order(job->output);
    return outcome;
}

void judge_close(struct judging *judging)
{
    for (int part = 0; judging && part < PARTS; part++) {
        stop(&judging->runs[part]);
        free(judging->runs[part].job.output);
    }
    free(judging);
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

int judge_say(const char *why, const char *altered)
{
    fflush(stdout);
    if (why)
        fprintf(stderr, "%s\n", why);
    else if (altered)
        printf("altered: %s\n  It is graded as it stands, and the grader sees this line.\n", altered);
    return why ? 2 : 0;
}
