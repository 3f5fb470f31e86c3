// Builds a step and grades result, safety and lesson.
#include "workbook.h"

#include <stdlib.h>
#include <string.h>

struct part {
    const char *name, *checks, *meaning;
};

static const struct part parts[PARTS] = {
    {"build", NULL, "it compiles"},
    {"result", "none", "the answer is right for every input"},
    {"safety", "memory,race,init,sync", "nothing unsafe was found"},
    {"lesson", "none", "the counters show the lesson"},
};

const char *part_name(int part)
{
    return parts[part].name;
}

// Arguments of one part, after the program itself; at most 2 + 2 * bounds.
static void part_arguments(char **argv, const struct step *step, int part)
{
    int count = 1;

    if (part < LESSON) {
        argv[count++] = "--check";
    } else {
        argv[count++] = "--n";
        argv[count++] = step->n;
        for (char **bound = step->bounds; *bound; bound++) {
            argv[count++] = "--expect";
            argv[count++] = *bound;
        }
    }
    argv[count] = NULL;
}

// Output of a flood: its beginning and its end.
static void say_output(const char *text)
{
    enum { HEAD = 24000, TAIL = 8000 };
    size_t length = strlen(text);

    if (length <= HEAD + TAIL)
        fputs(text, stdout);
    else
        printf("%.*s\n... %zu bytes are left out ...\n%s", HEAD, text, length - HEAD - TAIL, text + length - TAIL);
    if (length > 0 && text[length - 1] != '\n')
        printf("\n");
}

static void say_part(int part, struct outcome outcome, const char *source)
{
    bool passed = outcome.exit == 0;

    printf("%s%s %s%s: ", colour(passed ? "green" : "red"),
           passed ? terminal_sign("✓", "ok:") : terminal_sign("✗", "no:"), parts[part].name, colour("off"));
    if (outcome.timed_out)
        printf("stopped after %d s; is there an endless loop?\n", course.timeout);
    else if (part == BUILD && !passed)
        printf("it does not compile; the compiler's words are above\n");
    else if (outcome.exit > 128)
        printf("ended by signal %d, %s\n", outcome.exit - 128, strsignal(outcome.exit - 128));
    else
        printf("%s\n", passed ? parts[part].meaning : state_word(state_of(outcome, source)));
}

// Runs a part and adds what it wrote to grading->words.
static struct outcome run_part(struct grading *grading, const struct step *step, int part, char *program,
                               const char *order)
{
    char *argv[64], *words = grading->words;
    struct job job = {.argv = argv, .checks = parts[part].checks, .order = order, .limited = true};
    struct outcome outcome;

    argv[0] = program;
    part_arguments(argv, step, part);
    outcome = process_run(&job);
    if (!order || outcome.exit != 0) { // in another order it says the same again, if it is right
        grading->words = text_format("%s%s", words, job.output);
        free(words);
    }
    free(job.output);
    return outcome;
}

// make goes by the time of a file. That of a file moved back, or saved while it was compiled, is older than the object
// of another text: without its object a program is always that of the text as it stands.
static void forget_object(const struct step *step, bool own)
{
    const char *folder = own ? "" : "solutions/";
    char *object = text_format("%s/objects/%s%s/%s.o", course.build, folder, step->chapter, step->name);
    char *nccl = text_format("%s/objects/%s%s/%s.nccl.o", course.build, folder, step->chapter, step->name);

    remove(object);
    remove(nccl);
    free(nccl);
    free(object);
}

// Builds the file as it stands, source, which is read again if it is saved meanwhile.
static struct outcome build_part(struct grading *grading, const struct step *step, char **source)
{
    char *target = target_name(step, grades_own()), *path = source_path(step, grades_own()), *again;
    struct outcome outcome;

    for (;;) {
        bool same;

        forget_object(step, grades_own());
        free(grading->words);
        outcome = build_target(target, &grading->words);
        again = file_read(path);
        same = !again || strcmp(again, *source) == 0;
        if (!same) {
            free(*source);
            *source = again;
            continue;
        }
        free(again);
        break;
    }
    free(path);
    free(target);
    return outcome;
}

static struct outcome grade_part(struct grading *grading, const struct step *step, int part, char *program)
{
    char *gpu = text_format("%s.gpu", program);
    struct outcome outcome = run_part(grading, step, part, program, NULL);

    if (outcome.exit == 0 && part == RESULT) // of warps and blocks: right by luck of scheduling is wrong
        outcome = run_part(grading, step, part, program, "random:1");
    if (outcome.exit == 0 && part == RESULT && *course.gpu)
        outcome = run_part(grading, step, part, gpu, NULL);
    free(gpu);
    return outcome;
}

struct grading grade_step(const struct step *step, bool aloud)
{
    char *path = source_path(step, grades_own()), *source = file_read(path), *program;
    struct grading grading = {.words = text_format("%s", "")};
    struct outcome outcome = {1, false};

    program = program_path(step, grades_own());
    bar_open(PARTS);
    for (grading.failed = 0; source && grading.failed < PARTS; grading.failed++) {
        char *what = text_format("%s %s", parts[grading.failed].name, step->name);

        bar_part(what);
        free(what);
        free(grading.words);
        grading.words = text_format("%s", "");
        outcome = grading.failed == BUILD ? build_part(&grading, step, &source)
                                          : grade_part(&grading, step, grading.failed, program);
        if (grading.failed == BUILD && outcome.exit != 0)
            outcome.exit = 1; // make's own says nothing
        bar_wipe();
        if (aloud && (grading.failed != BUILD || outcome.exit != 0)) {
            say_output(grading.words);
            say_part(grading.failed, outcome, source);
        }
        if (outcome.exit != 0)
            break;
    }
    bar_close();
    grading.outcome = outcome;
    grading.state = state_of(outcome, source);
    if (!interrupted)
        *progress_of(step) = (struct progress){grading.state, source ? text_hash(source) : 0, progress_of(step)->hints};
    free(program);
    free(source);
    free(path);
    return grading;
}

static int run_step(const struct step *step, const char *path)
{
    struct grading grading;
    char *place = step_place(step);
    int status;

    printf("%s%s/%s%s  %s\n", colour("bold"), step->chapter, step->name, colour("off"), shown(path));
    grading = grade_step(step, true);
    progress_save(step);
    printf("\n");
    if (grading.outcome.exit == 0)
        say_next();
    else
        printf("Stuck? `%s hint %s`\n", program_name, place);
    status = grading.outcome.exit > 128 ? 1 : grading.outcome.exit;
    free(grading.words);
    free(place);
    return status;
}

int command_run(int argc, char **argv)
{
    const struct step *step;
    char *path, *place;
    int status = 1;

    if (argc > 1)
        return usage_error("run ", "one step at a time, not", argv[1]);
    if (argc < 1)
        return usage_error("run ", "which step?", NULL);
    step = course_find(argv[0], progress_chapter());
    if (!step)
        return 1;
    path = source_path(step, grades_own());
    place = step_place(step);
    if (file_is(path))
        status = run_step(step, path);
    else
        fprintf(stderr, "workbook: cannot read %s; `%s reset %s` makes it anew\n", path, program_name, place);
    free(place);
    free(path);
    return status;
}
