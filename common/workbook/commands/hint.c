// What a step asks for, hints for what its last run said, and one more general hint each time.
//
// NN-topic/hints.txt has a line `## 05-sequential` for each step and then its hints, parted by empty lines. A hint that
// begins with a line `? Race & __shared__` is aimed: it is for a run that failed and said all of these words: in its
// verdict, its findings or the bounds that it missed. The aimed hints stand first; the first that fits is shown, or
// else one of common/hints.txt, which are for any step.
#include "commands/commands.h"
#include "report/guide.h"
#include "judge/progress.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The next hint of the step, to be freed, and *at after it; NULL: none.
static char *next_hint(const char **at)
{
    const char *begin = *at + strspn(*at, "\n"), *end = strstr(begin, "\n\n");

    if (!*begin || strncmp(begin, "## ", 3) == 0)
        return NULL;
    end = end ? end : begin + strlen(begin);
    *at = end;
    return text_format("%.*s", (int)(end - begin), begin);
}

// What a run said of its failure: without the table of counters and the bounds that were met.
static char *failure_of(const char *said)
{
    char *words = checked(malloc(strlen(said) + 1)), *to = words;
    bool table = false;

    for (const char *line = said, *end; *line; line = end) {
        const char *title = strstr(line, "counted by the SIMT machine");

        end = line_end(line);
        table = (title && title < end) || (table && *line == ' ');
        if (!table && strncmp(line, "met ", 4) != 0)
            to = mempcpy(to, line, (size_t)(end - line));
    }
    *to = 0;
    return words;
}

// Do all the words of the line `? WORDS & WORDS` stand in said?
static bool fits(const char *line, const char *said)
{
    char *words = text_format("%.*s", (int)strcspn(line + 2, "\n"), line + 2), *rest = words, *word;
    bool all = true;

    while ((word = rest) && all) {
        rest = strstr(rest, " & ");
        if (rest) {
            *rest = 0;
            rest += 3;
        }
        all = strstr(said, word) != NULL;
    }
    free(words);
    return all;
}

// The step's hints: its first aimed one that fits what was said, or NULL, and the general ones.
struct hints {
    char *aimed, **general;
    int count;
};

// Adds the hints below a heading of a file.
static void read_hints(struct hints *hints, const char *path, const char *heading, const char *failure)
{
    char *text = file_read(path), *line = text_format("\n## %s\n", heading), *hint;
    const char *at = text ? strstr(text, line) : NULL;

    at = at ? at + strlen(line) : "";
    while ((hint = next_hint(&at))) {
        bool aimed = strncmp(hint, "? ", 2) == 0;

        if (aimed && !hints->aimed && fits(hint, failure)) {
            hints->aimed = text_format("%s", hint + strcspn(hint, "\n") + 1);
        } else if (!aimed) {
            hints->general = checked(realloc(hints->general, (size_t)(hints->count + 1) * sizeof *hints->general));
            hints->general[hints->count++] = hint;
            continue;
        }
        free(hint);
    }
    free(line);
    free(text);
}

static struct hints hints_of(const struct step *step, const char *said)
{
    struct hints hints = {NULL, NULL, 0};
    char *own = text_format("%s/%s/hints.txt", course.source, step->chapter), *failure = failure_of(said);
    char *common = text_format("%s/common/hints.txt", course.source);

    read_hints(&hints, own, step->name, failure);
    read_hints(&hints, common, "any step", failure);
    free(common);
    free(failure);
    free(own);
    return hints;
}

static void free_hints(struct hints *hints)
{
    for (int i = 0; i < hints->count; i++)
        free(hints->general[i]);
    free(hints->general);
    free(hints->aimed);
}

// Shows the aimed hint, and the general ones as far as they were asked for: one more, unless the aimed one is new.
static void say_hints(const struct hints *hints, struct progress *progress)
{
    if (hints->aimed) {
        printf("\nFor what the last run printed:\n");
        say_wrapped(hints->aimed);
    }
    if (hints->aimed && !progress->aimed)
        progress->aimed = 1;
    else if (progress->hints < hints->count)
        progress->hints++;
    for (int i = 0; i < progress->hints && i < hints->count; i++) {
        printf("\nHint %d:\n", i + 1);
        say_wrapped(hints->general[i]);
    }
}

// `hint STEP --said FILE`, for authors: the aimed hint for a run that printed this. Returns 1 where none fits.
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
        say_wrapped(hints.aimed);
    free_hints(&hints);
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
    say_wrapped(words);
    say_hints(&hints, progress_of(step));
    printf("\n");
    if (progress_of(step)->hints < hints.count) {
        printf("There are more; ask again.\n");
    } else {
        printf("That was the last one.\n");
        say_page(step);
    }
    progress_save(NULL);
    free_hints(&hints);
    free(said);
    free(words);
    free(source);
    free(path);
    return 0;
}
