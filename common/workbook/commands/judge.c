// `workbook judge FILE...`: does the grader refuse submissions as it should? For authors. FILE is a submission,
// CHAPTER.STEP.NAME.cu, as tests/submissions/submission.cmake writes it. Its last line says what refuses it:
//
//     // refused by: result 2, safety 3: Race
//
// The stages build, source, result, safety and lesson run in this order up to the last one named; behind a build that
// fails nothing runs. Those that are not named pass. The number is the exit code, or `timeout`; the words after the
// colon stand in what the last stage printed. `right 0`: all stages pass.
#include "commands/commands.h"
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

// A submission, and what is wanted of it.
struct example {
    const struct step *step;
    char *source, *text, *program;
    char *wanted, *words; // "result 2, safety 3"; "Race"
};

static const char *stage_name(int stage)
{
    return stage == FIRST_BUILD ? "build" : stage == THEN_SOURCE ? "source" : parts[stage - THEN_PARTS].name;
}

// What a random order refuses is often safe, too: it is tried of a submission that the result is to refuse, or right.
static struct outcome run_part(const struct example *e, int part, char **said)
{
    bool any_order = part != PART_RESULT || strstr(e->wanted, "result") || strstr(e->wanted, "right");
    struct submission submission = {.job = {.step = e->step,
                                            .order = any_order ? NULL : "order",
                                            .seconds = strstr(e->wanted, "timeout") ? SECONDS : 0,
                                            .patience = strstr(e->words, "host is stuck") ? STUCK_SECONDS : 0,
                                            .capture = true},
                                    .program = e->program,
                                    .unexplained = true};
    struct outcome outcome = judge_part(&submission, part);

    *said = submission.job.output;
    return outcome;
}

// Runs a stage. *said: what it printed, to be freed.
static struct outcome run_stage(const struct example *e, int stage, char **said)
{
    struct outcome outcome = {0};
    char *list, *altered;

    if (stage == FIRST_BUILD) {
        outcome = build_submission(e->step, e->source, e->program, said);
        outcome.exit = outcome.exit != 0;
    } else if (stage == THEN_SOURCE) {
        list = text_format("%s.d", e->program);
        *said = judge_source(e->step, e->text, list, &altered);
        outcome.exit = *said ? 2 : 0;
        free(altered);
        free(list);
    } else {
        outcome = run_part(e, stage - THEN_PARTS, said);
    }
    return outcome;
}

// Runs the stages until they have refused it as wanted. Whether they have; prints it.
static bool judge(const struct example *e, const char *name)
{
    char *seen = text_format("%s", ""), *said = text_format("%s", "");
    bool right;

    for (int stage = 0; stage < STAGES && strcmp(seen, e->wanted) != 0; stage++) {
        char *output = NULL, *before = seen;
        struct outcome outcome = run_stage(e, stage, &output);
        bool endless = outcome.why && strstr(outcome.why, "is there an endless loop?");
        char *code = text_format(endless ? "timeout" : "%d", outcome_status(outcome));

        free(said);
        said = text_format("%s%s\n", output ? output : "", outcome.why ? outcome.why : "");
        seen = text_format(outcome.exit == 0 ? "%s"
                           : *before         ? "%s, %s %s"
                                             : "%s%s %s",
                           before, stage_name(stage), code);
        free(before);
        free(code);
        free(output);
        free(outcome.why);
        if (stage == FIRST_BUILD && outcome.exit != 0)
            break;
    }
    right = strcmp(*seen ? seen : "right 0", e->wanted) == 0 && strstr(said, e->words);
    printf("%s/%s %s: %s", e->step->chapter, e->step->name, name, *seen ? seen : "right 0");
    if (!right)
        printf(", but wanted %s '%s'; it said\n%s", e->wanted, e->words, said);
    printf("\n");
    fflush(stdout);
    free(seen);
    free(said);
    return right;
}

static bool judge_file(char *path)
{
    static const char mark[] = "\n// refused by: ";
    char chapter[80], step[80], name[80], *text = file_read(path), *line = NULL, *folder, *place;
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct example e = {.source = path, .text = text};
    bool right;

    for (char *at = text ? strstr(text, mark) : NULL; at; at = strstr(line, mark))
        line = at + strlen(mark);
    if (!line || sscanf(file, "%79[^.].%79[^.].%79[^.].cu", chapter, step, name) != 3)
        return fprintf(stderr, "workbook: %s is no CHAPTER.STEP.NAME.cu that says `// refused by: ...`\n", path), false;
    place = text_format("%s/%s", chapter, step);
    if (!(e.step = course_find(place, NULL)))
        return false;
    folder = text_format("%s.judged", path);
    e.program = text_format("%s/program", folder);
    e.wanted = text_format("%.*s", (int)strcspn(line, ":\n"), line);
    line += strcspn(line, ":\n");
    line += strspn(line, ": ");
    e.words = text_format("%.*s", (int)strcspn(line, "\n"), line);
    right = folder_make(folder) && judge(&e, name);
    folder_remove(folder);
    for (char **each = (char *[]){text, place, folder, e.program, e.wanted, e.words, NULL}; *each; each++)
        free(*each);
    return right;
}

int command_judge(int argc, char **argv)
{
    int wrong = 0;

    if (argc == 1 && strcmp(argv[0], "--trials") == 0)
        return judge_print_trials(), 0;
    if (argc == 0)
        return usage_error("judge ", "expected files", NULL);
    course.gpu = ""; // the programs on it are this tree's
    for (int i = 0; i < argc; i++)
        wrong += !judge_file(argv[i]);
    printf("%d submissions, %d not judged as they should be\n", argc, wrong);
    return wrong > 0;
}
