// What a step asks for, hints about its last run, and one more general hint each time.
#include "commands/commands.h"
#include "report/guide.h"
#include "judge/progress.h"
#include "course/course.h"
#include "course/hints.h"
#include "course/source.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Shows the aimed hint and the general ones requested so far: one more than last time, unless the aimed one is new.
static void say_hints(const struct hints *hints, struct progress *progress)
{
    if (hints->aimed) {
        printf("\nWhat the last run printed usually means:\n");
        print_wrapped(hints->aimed);
    }
    if (hints->aimed && !progress->aimed)
        progress->aimed = 1;
    else if (progress->hints < hints->count)
        progress->hints++;
    for (int i = 0; i < progress->hints && i < hints->count; i++) {
        printf("\nHint %d:\n", i + 1);
        print_wrapped(hints->general[i]);
    }
}

// `hint STEP --said FILE`, for authors: the aimed hint for a run that printed FILE. Returns 1 if none fits.
static int hint_for(const struct step *step, const char *path)
{
    char *said = file_read(path);
    struct hints hints;
    bool found;

    if (!said) {
        fprintf(stderr, "workbook: cannot read %s\n", path);
        return 1;
    }
    hints = hints_of(step, said);
    found = hints.aimed != NULL;
    if (found)
        print_wrapped(hints.aimed);
    hints_free(&hints);
    free(said);
    return !found;
}

int command_hint(int argc, char **argv)
{
    bool authors = argc == 3 && strcmp(argv[1], "--said") == 0;
    const struct step *step;
    struct hints hints;
    char *path, *source, *words, *said;

    if (argc > 1 && !authors)
        return usage_error("hint ", "one step at a time, not", argv[1]);
    step = argc ? course_find(argv[0], progress_chapter()) : progress_last();
    if (!step)
        return argc > 0;
    if (authors)
        return hint_for(step, argv[2]);
    path = source_path(step, grades_own());
    source = file_read(path);
    words = source ? todo_words(source) : text_format("%s", "");
    said = failure_read(step);
    hints = hints_of(step, said);
    printf("%s%s/%s%s\n", colour("bold"), step->chapter, step->name, colour("off"));
    print_wrapped(words);
    say_hints(&hints, progress_of(step));
    printf("\n");
    if (progress_of(step)->hints < hints.count) {
        printf("There are more; ask again.\n");
    } else {
        printf("That was the last one.\n");
        print_page(step);
    }
    progress_save(NULL);
    hints_free(&hints);
    free(said);
    free(words);
    free(source);
    free(path);
    return 0;
}
