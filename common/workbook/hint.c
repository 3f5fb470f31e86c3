// What a step asks for, and one more hint each time.
#include "workbook.h"

#include <stdlib.h>
#include <string.h>

// Hint number of step, from NN-topic/hints.txt: a line `## 05-sequential`, then hints parted by empty lines.
// Returns NULL behind the last; to be freed.
static char *hint_text(const struct step *step, int number)
{
    char *path = text_format("%s/%s/hints.txt", course.source, step->chapter), *text = file_read(path);
    char *heading = text_format("\n## %s\n", step->name), *hint = NULL;
    char *at = text ? strstr(text, heading) : NULL;

    at = at ? at + strlen(heading) : NULL;
    for (int i = 0; at && *at && strncmp(at, "## ", 3) != 0; i++) {
        char *end;

        at += strspn(at, "\n");
        end = strstr(at, "\n\n");
        end = end ? end : at + strlen(at);
        if (i == number && *at && strncmp(at, "## ", 3) != 0)
            hint = text_format("%.*s", (int)(end - at), at);
        at = end + strspn(end, "\n");
    }
    free(heading);
    free(text);
    free(path);
    return hint;
}

int command_hint(int argc, char **argv)
{
    const struct step *step = argc == 1 ? course_find(argv[0], progress_chapter()) : argc ? NULL : progress_next();
    struct progress *progress;
    char *path, *source, *words, *text;

    if (argc > 1)
        return usage_error("hint ", "one step at a time, not", argv[1]);
    if (!step)
        return argc == 1;
    progress = progress_of(step);
    path = source_path(step, grades_own());
    source = file_read(path);
    words = source ? todo_words(source) : text_format("%s", "");
    printf("%s%s/%s%s\n", colour("bold"), step->chapter, step->name, colour("off"));
    say_wrapped(words);
    for (int i = 0; (text = hint_text(step, i)) && i <= progress->hints; i++) {
        printf("\nHint %d:\n", i + 1);
        say_wrapped(text);
        free(text);
    }
    printf("\n");
    if (text) {
        printf("There are more; ask again.\n");
    } else {
        printf("That was the last one.\n");
        say_page(step);
    }
    progress->hints += text != NULL || progress->hints == 0;
    progress_save(NULL);
    free(text);
    free(words);
    free(source);
    free(path);
    return 0;
}
