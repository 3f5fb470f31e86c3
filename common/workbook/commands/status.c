// The student's progress: the overview, the list of steps, and the next step.
#include "commands/commands.h"
#include "report/guide.h"
#include "judge/progress.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool counts_as_passed(const struct step *step)
{
    return progress_of(step)->state == PASSED && !progress_stale(step);
}

// What to read, where to edit, how to continue.
static void print_task(const struct step *step)
{
    char *path = source_path(step, grades_own()), *text = file_read(path), *place = step_place(step);
    int line = text ? open_todo(text) : 0;

    if (text && line == 0) // done, or tried
        line = todo_line(text);
    printf("%s%s/%s%s,%s%s%s\n", colour("bold"), step->chapter, step->name, colour("off"),
           terminal_width() < 60 ? "\n" : " ", state_word(progress_of(step)->state),
           progress_stale(step) ? ", changed since" : "");
    print_page(step);
    if (!text)
        printf("Edit:  %s is not there; `%s reset %s`\n", shown(path), program_name, place);
    else
        printf("Edit:  %s:%d\n", shown(path), line);
    for (int i = 0; i < step->lesson; i++)
        printf("%s %s\n", i ? "      " : "Goal: ", step->bounds[i]);
    printf("Grade: %s run %s\n", program_name, place);
    printf("Stuck: %s hint %s\n", program_name, place);
    free(place);
    free(text);
    free(path);
}

static void say_chapter(const char *chapter, bool here)
{
    int passed = 0, count = 0, width = terminal_width() < 60 ? 8 : 20;

    for (int i = 0; i < course.count; i++)
        if (strcmp(course.steps[i].chapter, chapter) == 0) {
            passed += counts_as_passed(&course.steps[i]);
            count++;
        }
    printf("%s %-21s %s", here ? terminal_sign("→", ">") : " ", chapter, colour(passed == count ? "green" : "off"));
    for (int i = 0; i < width; i++)
        fputs(i < width * passed / count ? terminal_sign("█", "#") : terminal_sign("·", "."), stdout);
    printf("%s %2d/%d\n", colour("off"), passed, count);
}

int command_status(int argc, char **argv)
{
    const struct step *next = progress_next();
    const char *chapter = "";

    if (argc > 0)
        return usage_error("status ", "takes no argument, was given", argv[0]);
    for (int i = 0; i < course.count; i++) {
        if (strcmp(chapter, course.steps[i].chapter) == 0)
            continue;
        chapter = course.steps[i].chapter;
        say_chapter(chapter, next && strcmp(next->chapter, chapter) == 0);
    }
    printf("\n");
    if (next)
        print_task(next);
    else
        print_next();
    return 0;
}

int command_next(int argc, char **argv)
{
    const struct step *step;
    char *path, *text, *words;

    if (argc > 1)
        return usage_error("next ", "one step at a time, not", argv[1]);
    step = argc == 1 ? course_find(argv[0], progress_chapter()) : progress_next();
    if (!step && argc == 0)
        print_next();
    if (!step)
        return argc;
    print_task(step);
    path = source_path(step, grades_own());
    text = file_read(path);
    words = text ? todo_words(text) : NULL;
    if (words) {
        printf("\n");
        print_wrapped(words);
    }
    free(words);
    free(text);
    free(path);
    return 0;
}

// Whether the file has changed since it was graded.
static bool list_step(const struct step *step, const struct step *next)
{
    enum state state = progress_of(step)->state;
    bool stale = progress_stale(step), narrow = terminal_width() < 60;

    printf(" %s %-20s %s%s%s%s\n", step == next ? terminal_sign("→", ">") : " ", step->name, state_colour(state),
           state_word(state), colour("off"),
           !stale   ? ""
           : narrow ? " *"
                    : ", changed since");
    return stale && narrow;
}

int command_list(int argc, char **argv)
{
    const char *only = argc > 0 ? course_find_chapter(argv[0]) : NULL, *chapter = "";
    const struct step *next = progress_next();
    int passed = 0, count = 0, starred = 0;

    if (argc > 1)
        return usage_error("list ", "too many arguments:", argv[1]);
    if (argc > 0 && !only)
        return 1;
    for (int i = 0; i < course.count; i++) {
        const struct step *step = &course.steps[i];

        if (only && strcmp(only, step->chapter) != 0)
            continue;
        if (strcmp(chapter, step->chapter) != 0)
            printf("%s%s%s\n", colour("bold"), chapter = step->chapter, colour("off"));
        starred += list_step(step, next);
        passed += counts_as_passed(step);
        count++;
    }
    printf("%s\n%d of %d passed.%s", starred ? " * changed since\n" : "", passed, count,
           terminal_width() < 80 ? "\n" : " ");
    print_next();
    return 0;
}
