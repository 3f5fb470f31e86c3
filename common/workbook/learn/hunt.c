// `workbook hunt`: programs that print PASSED on their own input, each with one defect. The user gets a copy and a
// symptom, edits, and is judged. Help comes on request, in three levels, and is recorded.
#include "learn/learn.h"
#include "learn/hunt_verdict.h"
#include "learn/hunts.h"
#include "judge/findings.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING, KINDS, LINES, HINT }; // help requested so far

static const char *const help_words[] = {"", "asked for the kind", "asked for the lines", "asked for the hint"};

// ---- list

static void print_hunts(const struct hunts *hunts)
{
    const char *chapter = "";

    for (int i = 0; i < hunts->count; i++) {
        const struct hunt *hunt = &hunts->all[i];
        const char *state = hunt->found ? " [found" : hunt->begun ? " [begun" : "";

        if (strcmp(chapter, hunt->chapter) != 0)
            printf("%s%s%s%s\n", i ? "\n" : "", colour("bold"), hunt->chapter, colour("off"));
        chapter = hunt->chapter;
        print_line("  %s  %s%s%s%s%s", hunt->place, hunt->symptom, state, hunt->asked ? ", " : "",
                   help_words[hunt->asked], *state ? "]" : "");
    }
    printf("\n");
    print_line("`%s hunt %s` begins one.", program_name, hunts->count ? hunts->all[0].place : "");
}

// ---- begin

static int begin(struct hunt *hunt)
{
    char *given = hunt_given(hunt), *mine = hunt_user_path(hunt), *text = file_read(given), *folder;
    bool good;

    folder = text_format("%.*s", (int)(strrchr(mine, '/') - mine), mine);
    good = text && folder_make(folder) && file_write(mine, text);
    if (good) {
        hunt->begun = true;
        hunt->found = false;
        printf("%s%s%s  %s\n\n", colour("bold"), hunt->place, colour("off"), shown(mine));
        print_wrapped(hunt->symptom);
        printf("\n");
        print_line("It prints PASSED. It has one defect: find it, and change at most %d line%s above the check. "
                   "`%s hunt %s` judges your file, `%s hunt %s --ask` helps.",
                   hunt->lines, hunt->lines == 1 ? "" : "s", program_name, hunt->place, program_name, hunt->place);
    } else {
        fprintf(stderr, "workbook: cannot copy %s to %s\n", given, mine);
    }
    free(folder);
    free(text);
    free(mine);
    free(given);
    return !good;
}

// ---- the verdict

static void print_mark(bool good, const char *words)
{
    print_line("%s%s%s %s", colour(good ? "green" : "red"), verdict_sign(good), colour("off"), words);
}

// The input of the wrong run, and the order of its blocks and warps if a plain run has another; to be freed.
static char *wrong_run(const struct hunt_verdict *verdict, const char *before)
{
    bool plain = strcmp(verdict->order, "order") == 0;

    return text_format("%s%s%s%s", *verdict->wrong ? before : "", *verdict->wrong ? verdict->wrong : "its own input",
                       plain ? "" : " under SIMT_SCHEDULE=", plain ? "" : verdict->order);
}

static void print_result(const struct hunt_verdict *verdict)
{
    char *run = verdict->wrong ? wrong_run(verdict, "the arguments ") : NULL;
    char *words = run ? text_format("wrong with %s", run) : text_format("right on every input");

    print_mark(!verdict->wrong, words);
    free(words);
    free(run);
}

static void print_changes(const struct hunt *hunt, const struct hunt_verdict *verdict)
{
    char *words = text_format("%d line%s changed, at most %d may", verdict->changed, verdict->changed == 1 ? "" : "s",
                              hunt->lines);

    print_mark(verdict->changed <= hunt->lines, words);
    free(words);
    if (!verdict->kept) {
        words = text_format("`%s` is gone: without it the program is right, but slower", hunt->keep);
        print_mark(false, words);
        free(words);
    }
    if (!verdict->checked)
        print_mark(false, "the check is not as it was handed out");
}

static void print_verdict(const struct hunt *hunt, const struct hunt_verdict *verdict)
{
    if (!verdict->built) {
        printf("%s", verdict->said ? verdict->said : "");
        print_mark(false, "it does not compile");
        return;
    }
    print_mark(!verdict->findings, verdict->findings ? "the machine reports findings" : "the machine reports nothing");
    print_result(verdict);
    print_changes(hunt, verdict);
}

// ---- help

// The explanation lines of findings, or the others.
static void print_findings(const char *findings, bool explanations)
{
    for (const char *line = findings; *line; line = line_end(line))
        if (findings_explains(line) == explanations)
            print_folded(line, (int)strcspn(line, "\n"), terminal_fold());
}

static void print_hunt_help(const struct hunt *hunt, const struct hunt_verdict *verdict)
{
    printf("\n");
    if (verdict->findings) {
        print_findings(verdict->findings, true);
        if (hunt->asked >= LINES)
            print_findings(verdict->findings, false);
    } else if (verdict->wrong) {
        char *run = wrong_run(verdict, "");

        print_line("The machine finds nothing. The answer is wrong with %s.", run);
        free(run);
        if (hunt->asked >= LINES)
            printf("%s", verdict->said);
    }
    if (hunt->asked >= HINT) {
        printf("\n");
        print_wrapped(hunt->hint);
    }
}

// ---- one hunt

static int finish(struct hunt *hunt, const struct hunt_verdict *verdict)
{
    bool found = hunt_is_found(hunt, verdict);

    hunt->found |= found;
    printf("\n");
    if (found)
        print_line("Found%s%s.", hunt->asked ? "; you " : "", help_words[hunt->asked]);
    else if (hunt->asked < HINT)
        print_line("`%s hunt %s --ask` gives %s.", program_name, hunt->place,
                   hunt->asked == NOTHING ? "the kind of the finding"
                   : hunt->asked == KINDS ? "its lines"
                                          : "a hint");
    else
        print_line("The hint was the last help. `%s hunt %s --ask` shows all of it again.", program_name, hunt->place);
    return found ? 0 : 2;
}

static int judge_user_file(struct hunt *hunt, bool ask)
{
    char *mine = hunt_user_path(hunt);
    struct hunt_verdict verdict = hunt_judge(hunt, mine);
    int status;

    hunt->asked += ask && hunt->asked < HINT && !hunt_is_found(hunt, &verdict);
    printf("%s%s%s  %s\n", colour("bold"), hunt->place, colour("off"), shown(mine));
    print_verdict(hunt, &verdict);
    if (ask && verdict.built)
        print_hunt_help(hunt, &verdict);
    status = finish(hunt, &verdict);
    hunt_verdict_free(&verdict);
    free(mine);
    return status;
}

// For authors: prints everything known about FILE.
static int judge_file(struct hunt *hunt, char *file)
{
    struct hunt_verdict verdict = hunt_judge(hunt, file);
    int status = hunt_is_found(hunt, &verdict) ? 0 : 2;

    print_verdict(hunt, &verdict);
    printf("%s%s", verdict.findings ? verdict.findings : "", verdict.built && verdict.said ? verdict.said : "");
    hunt_verdict_free(&verdict);
    return status;
}

static bool is_unchanged(const struct hunt *hunt)
{
    char *given = hunt_given(hunt), *mine = hunt_user_path(hunt), *a = file_read(given), *b = file_read(mine);
    bool same = !a || !b || strcmp(a, b) == 0;

    free(a);
    free(b);
    free(mine);
    free(given);
    return same;
}

int command_hunt(int argc, char **argv)
{
    bool ask = argc > 1 && strcmp(argv[1], "--ask") == 0, again = argc > 1 && strcmp(argv[1], "--again") == 0;
    bool judge = argc == 3 && strcmp(argv[1], "--judge") == 0;
    struct hunts hunts = hunts_load();
    struct hunt *hunt = argc ? hunts_find(&hunts, argv[0]) : NULL;
    int status = 0;

    if (argc > 1 && !(ask && argc == 2) && !(again && argc == 2) && !judge)
        status = usage_error("hunt ", "one hunt at a time, not", argv[argc - 1]);
    else if (!argc)
        print_hunts(&hunts);
    else if (!hunt)
        status = 1;
    else if (judge)
        status = judge_file(hunt, argv[2]);
    else if (again || !hunt->begun || (is_unchanged(hunt) && !ask))
        status = begin(hunt);
    else
        status = judge_user_file(hunt, ask);
    if (!judge)
        hunts_save(&hunts);
    hunts_free(&hunts);
    return status;
}
