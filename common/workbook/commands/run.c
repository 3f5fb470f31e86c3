// Builds a step and grades result, safety and lesson.
#include "commands/run.h"
#include "commands/brief.h"
#include "commands/commands.h"
#include "commands/estimate.h"
#include "commands/xray.h"
#include "report/guide.h"
#include "judge/judge.h"
#include "judge/progress.h"
#include "process/limits.h"
#include "process/measure.h"
#include "process/process.h"
#include "course/course.h"
#include "base/bar.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *part_name(int part)
{
    return part == BUILD ? "build" : parts[part - 1].name;
}

static void say_lines(const char *text, size_t length)
{
    for (const char *line = text, *end = text + length; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));

        print_folded(line, (int)((next ? next : end) - line), terminal_fold());
        line = next ? next + 1 : end;
    }
}

// The compiler's messages stay as they are, since it points below its lines. What Ninja adds is left out: the object's
// name, the whole command, and that it stops.
static void say_compiler(const char *text)
{
    size_t length = strlen(text);

    for (const char *line = text, *end; *line; line = end) {
        bool object = strncmp(line, "FAILED: ", 8) == 0;

        end = line_end(line);
        if (object)
            end = line_end(end);
        else if (strncmp(line, "ninja: build stopped", 20) != 0)
            printf("%.*s", (int)(end - line), line);
    }
    printf("%s", length > 0 && text[length - 1] != '\n' ? "\n" : "");
}

// The beginning and the end of very long output.
static void say_output(const char *text, int part)
{
    enum { HEAD = 24000, TAIL = 8000 };
    size_t length = strlen(text);

    if (part == BUILD) {
        say_compiler(text);
    } else if (length <= HEAD + TAIL) {
        say_lines(text, length);
    } else {
        say_lines(text, HEAD);
        printf("... %zu bytes are left out ...\n", length - HEAD - TAIL);
        say_lines(text + length - TAIL, TAIL);
    }
}

static const char *failed_word(int part, enum state state)
{
    return part == LESSON && state == MISSED ? "missed" : state_word(state);
}

static void say_passed(int part, const char *words)
{
    char *figures = brief_figures(words, part == LESSON);

    printf("%s%s%s%s\n", parts[part - 1].meaning, *figures ? "; " : "", figures,
           strstr(words, "simt: information") ? "; the note above is information" : "");
    free(figures);
}

// words: the part's output.
static void say_part(int part, struct outcome outcome, const char *source, const char *words)
{
    bool passed = outcome.exit == 0;

    printf("%s%s %s%s: ", colour(passed ? "green" : "red"), verdict_sign(passed), part_name(part), colour("off"));
    if (part == BUILD)
        printf("%s\n", passed ? "it compiles" : "it does not compile; see the compiler's messages above");
    else if (outcome.why)
        printf("%s\n", outcome.why);
    else if (!passed)
        printf("%s\n", failed_word(part, state_of(outcome, source)));
    else
        say_passed(part, words);
}

// Shows a finished part: all of its output if it failed or on request, else the lines that matter.
static void show_part(const struct step *step, int part, struct outcome outcome, const char *source, const char *words,
                      enum shown_words aloud)
{
    char *brief = outcome.exit == 0 && aloud == IN_BRIEF ? brief_lines(step, words) : NULL;

    say_output(brief ? brief : words, part);
    say_part(part, outcome, source, words);
    free(brief);
}

// Why the file is refused before it is compiled, or NULL. An empty file is left to the build, which reports it.
static char *refused_unbuilt(const struct step *step, const char *source)
{
    char *altered = NULL, *why = judge_source(step, source, NULL, &altered);

    if (why && !strstr(source, "main")) {
        free(why);
        why = NULL;
    }
    free(altered);
    return why;
}

static struct outcome refuse(struct grading *grading, const char *why)
{
    free(grading->words);
    grading->words = text_format("%s\n", why);
    return (struct outcome){.exit = 2, .why = text_format("refused; the line above says why")};
}

// Builds the file as it stands. source is read again if the file is saved meanwhile.
static struct outcome build_part(struct grading *grading, const struct step *step, char **source)
{
    char *target = target_name(step, grades_own()), *path = source_path(step, grades_own()), *again;
    struct outcome outcome;

    for (;;) {
        bool same;

        forget_objects(step, grades_own());
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

// The same, unless the file is refused first.
static struct outcome check_and_build(struct grading *grading, const struct step *step, char **source)
{
    char *why = refused_unbuilt(step, *source);
    struct outcome outcome;

    if (!why)
        return build_part(grading, step, source);
    grading->unbuilt = true;
    grading->failed = RESULT;
    outcome = refuse(grading, why);
    free(why);
    return outcome;
}

// Grades a part; the result includes the check of the source. Its output goes to grading->words. The result
// opens *judging.
static struct outcome grade_part(struct grading *grading, struct submission *submission, int part,
                                 struct judging **judging, const char *source)
{
    const struct step *step = submission->job.step;
    struct outcome outcome;
    char *altered = NULL, *list = graded_list(step, grades_own());
    char *why = part == RESULT ? judge_source(step, source, list, &altered) : NULL;

    if (why) {
        outcome = refuse(grading, why);
    } else {
        if (part == RESULT)
            *judging = judge_open(submission);
        outcome = judge_take(*judging, part - 1);
        free(grading->words);
        grading->words =
            text_format("%s%s%s%s", altered ? "altered: " : "", altered ? altered : "",
                        altered ? "\n  It is graded with this change, and the grader sees this line.\n" : "",
                        submission->job.output);
    }
    free(altered);
    free(list);
    free(why);
    return outcome;
}

// The compiler's warnings about a program that it built, if they name the step's file.
static void keep_warnings(struct grading *grading, const struct step *step, bool aloud)
{
    char *name = text_format("%s/%s.cu", step->chapter, step->name);

    if (strstr(grading->words, name)) {
        free(grading->warnings);
        grading->warnings = text_format("%s", grading->words);
        if (aloud)
            say_compiler(grading->warnings);
    }
    free(name);
}

static void remember(const struct step *step, const struct grading *grading, const char *source)
{
    struct progress *progress = progress_of(step);
    const char *why = grading->outcome.why;
    char *said = text_format("%s%s%s", grading->words, why ? why : "", why ? "\n" : "");

    *progress = (struct progress){grading->state, source ? text_hash(source) : 0, progress->hints, 0};
    failure_save(step, grading->outcome.exit != 0 ? said : "");
    free(said);
}

struct grading grade_step(const struct step *step, enum shown_words aloud)
{
    char *path = source_path(step, grades_own()), *source = file_read(path), *program = graded_path(step, grades_own());
    struct grading grading = {.words = text_format("%s", ""), .warnings = text_format("%s", "")};
    struct outcome outcome = {.exit = 1};
    struct submission submission = {
        .job = {.step = step, .capture = true, .patience = WAITING}, .program = program, .interactive = true};
    struct judging *judging = NULL;

    bar_open(STAGES);
    for (grading.failed = 0; source && grading.failed < STAGES; grading.failed++) {
        char *what = text_format("%s %s", part_name(grading.failed), step->name);

        bar_part(what);
        free(what);
        free(grading.words);
        grading.words = text_format("%s", "");
        outcome = grading.failed == BUILD ? check_and_build(&grading, step, &source)
                                          : grade_part(&grading, &submission, grading.failed, &judging, source);
        if (grading.failed == BUILD && outcome.exit != 0)
            outcome.exit = 1; // make's own status does not tell
        bar_wipe();
        if (grading.failed == BUILD && outcome.exit == 0)
            keep_warnings(&grading, step, aloud != SILENT);
        if (aloud != SILENT && (grading.failed != BUILD || outcome.exit != 0))
            show_part(step, grading.failed, outcome, source, grading.words, aloud);
        if (outcome.exit != 0)
            break;
    }
    judge_close(judging);
    free(submission.job.output);
    bar_close();
    grading.outcome = outcome;
    grading.state = state_of(outcome, source);
    if (!interrupted)
        remember(step, &grading, source);
    free(program);
    free(source);
    free(path);
    return grading;
}

void say_xray(const struct step *step, const struct grading *grading)
{
    char *place = step_place(step);

    if (grading->failed > BUILD && grading->failed < STAGES && !grading->unbuilt && grading->state != NOT_DONE)
        print_line("See it happen: `%s xray %s`", program_name, place);
    free(place);
}

static int run_step(const struct step *step, const char *path, bool estimate, enum shown_words aloud)
{
    struct grading grading;
    char *place = step_place(step);
    int status;

    printf("%s%s/%s%s  %s\n", colour("bold"), step->chapter, step->name, colour("off"), shown(path));
    grading = grade_step(step, aloud);
    progress_save(step);
    printf("\n");
    if (grading.outcome.exit == 0 && estimate)
        say_estimate(step);
    if (grading.outcome.exit == 0)
        print_next();
    if (grading.outcome.exit == 0 && aloud == IN_BRIEF)
        print_line("All counts and bounds, and what it printed: `%s run %s --all`", program_name, place);
    if (grading.outcome.exit != 0)
        printf("Stuck? `%s hint %s`\n", program_name, place);
    say_xray(step, &grading);
    status = outcome_status(grading.outcome);
    free(grading.warnings);
    free(grading.words);
    free(place);
    return status;
}

// The one that a word switches on, or NULL.
static bool *option_of(const char *word, bool *xray, bool *estimate, bool *all)
{
    return strcmp(word, "--xray") == 0       ? xray
           : strcmp(word, "--estimate") == 0 ? estimate
           : strcmp(word, "--all") == 0      ? all
                                             : NULL;
}

int command_run(int argc, char **argv)
{
    const struct step *step;
    char *path, *place;
    bool xray = false, estimate = terminal_shown(), all = false, *option;
    int status = 1;

    for (; argc > 0 && (option = option_of(argv[argc - 1], &xray, &estimate, &all)); argc--)
        *option = true;
    if (argc > 1)
        return usage_error("run ", "one step at a time, not", argv[1]);
    step = argc == 1 ? course_find(argv[0], progress_chapter()) : progress_next();
    if (!step && argc == 0)
        return print_next(), 0;
    if (!step)
        return 1;
    path = source_path(step, grades_own());
    place = step_place(step);
    if (file_is(path))
        status = run_step(step, path, estimate, all ? ALL_WORDS : IN_BRIEF);
    else
        fprintf(stderr, "workbook: cannot read %s; `%s reset %s` restores it\n", path, program_name, place);
    if (xray && file_is(path))
        xray_step(step);
    free(place);
    free(path);
    return status;
}
