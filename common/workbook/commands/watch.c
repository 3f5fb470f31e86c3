// Grades a step again whenever its file is saved, and shows the main lines beside the previous result.
#include "commands/commands.h"
#include "commands/run.h"
#include "report/guide.h"
#include "judge/judge.h"
#include "judge/progress.h"
#include "process/process.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LINES = 14 }; // of a failed part's output

// The column of one result: the outcome of each part.
static void result_words(char cell[STAGES][24], struct grading grading)
{
    for (int part = 0; part < STAGES; part++) {
        bool passed = part < grading.failed;

        if (part > grading.failed || grading.state == NEW || (part == BUILD && grading.unbuilt))
            strcpy(cell[part], "-");
        else
            snprintf(cell[part], sizeof cell[part], "%s",
                     passed                       ? "passed"
                     : grading.outcome.timed_out  ? "no end"
                     : part == BUILD              ? "not built"
                     : grading.outcome.exit > 128 ? "crashed"
                                                  : state_word(grading.state));
    }
}

// What is kept of the last run: the part that failed.
static struct grading remembered(const struct step *step)
{
    static const int failed[STATES] = {[NOT_DONE] = RESULT, [BROKEN] = RESULT,  [WRONG] = RESULT, [UNSAFE] = SAFETY,
                                       [MISSED] = LESSON,   [SKIPPED] = RESULT, [PASSED] = STAGES};
    enum state state = progress_of(step)->state;

    return (struct grading){.state = state, .failed = failed[state]};
}

static const char *cell_colour(const char *cell)
{
    return colour(strcmp(cell, "passed") == 0 ? "green" : strcmp(cell, "-") == 0 ? "dim" : "red");
}

static void show(const struct step *step, struct grading now, struct grading before)
{
    char cell[2][STAGES][24], clock[16], *place = step_place(step);
    time_t t = time(NULL);
    int lines = 0;

    strftime(clock, sizeof clock, "%H:%M:%S", localtime(&t));
    result_words(cell[0], now);
    result_words(cell[1], before);
    terminal_clear();
    printf("%s%s/%s%s  %s\n\n", colour("bold"), step->chapter, step->name, colour("off"), clock);
    printf("%s%-8s %-14s %s%s\n", colour("dim"), "", "now", "before", colour("off"));
    for (int part = 0; part < STAGES; part++)
        printf("%-8s %s%-14s%s %s%s%s\n", part_name(part), cell_colour(cell[0][part]), cell[0][part], colour("off"),
               cell_colour(cell[1][part]), cell[1][part], colour("off"));
    printf("\n%s", now.warnings);
    for (const char *line = now.words; now.state != PASSED && *line && lines < LINES; lines++) {
        int length = (int)strcspn(line, "\n");

        if (now.failed == BUILD)
            printf("%.*s\n", length, line); // the compiler points below its lines
        else
            print_folded(line, length, terminal_fold());
        line += length + (line[length] == '\n');
        if (*line && lines == LINES - 1)
            print_line("... `%s run %s` shows the rest", program_name, place);
    }
    if (now.outcome.why)
        print_line("%s", now.outcome.why);
    say_xray(step, &now);
    free(place);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

struct stamp {
    struct timespec saved;
    ino_t inode; // an editor may replace the file
    off_t size;
};

static bool stamp_of(const char *path, struct stamp *stamp)
{
    struct stat status;

    memset(stamp, 0, sizeof *stamp);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    stamp->saved = status.st_mtim;
    stamp->inode = status.st_ino;
    stamp->size = status.st_size;
    return true;
}

// Waits until the file exists, differs from the graded one, and is stable. False when interrupted.
static bool wait_for_save(const char *path, const struct stamp *graded)
{
    struct stamp first, second;

    while (!interrupted) {
        if (stamp_of(path, &first) && memcmp(&first, graded, sizeof first) != 0) {
            nap();
            if (stamp_of(path, &second) && memcmp(&first, &second, sizeof first) == 0)
                return true;
        } else {
            nap();
        }
    }
    return false;
}

// Grades the step at every save. Returns whether it passed; false when interrupted. stay: keeps watching after it
// has passed.
static bool watch_step(const struct step *step, bool stay)
{
    char *path = source_path(step, grades_own());
    struct grading now = remembered(step), before;
    struct stamp graded;

    memset(&graded, 0, sizeof graded);
    now.words = text_format("%s", "");
    now.warnings = text_format("%s", "");
    do {
        if (!wait_for_save(path, &graded))
            break;
        stamp_of(path, &graded);
        before = now;
        now = grade_step(step, SILENT);
        free(before.warnings);
        free(before.words);
        if (interrupted)
            break;
        progress_save(step);
        show(step, now, before);
        if (now.state == PASSED && stay)
            print_line("passed; `%s next` shows what comes next", program_name);
        if (stay || now.state != PASSED) {
            fputs(colour("dim"), stdout);
            print_line("waiting for %s; Ctrl-C ends", shown(path));
            fputs(colour("off"), stdout);
        }
        fflush(stdout);
    } while (stay || now.state != PASSED);
    free(now.warnings);
    free(now.words);
    free(path);
    return now.state == PASSED && !interrupted;
}

int command_watch(int argc, char **argv)
{
    const struct step *step;

    if (argc > 1)
        return usage_error("watch ", "one step at a time, not", argv[1]);
    step = argc == 1 ? course_find(argv[0], progress_chapter()) : progress_next();
    if (argc == 1 && !step)
        return 1;
    catch_interrupts();
    if (argc == 1)
        watch_step(step, true);
    else
        while (step && watch_step(step, false)) {
            step = progress_next();
            if (!step)
                break;
            print_line("passed; now %s/%s, which is graded as it stands", step->chapter, step->name);
            printf("\n");
        }
    printf("\n");
    print_next();
    return 0;
}
