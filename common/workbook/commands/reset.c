// Restores files as they were handed out, and always keeps a copy; prints starters, for authors.
#include "commands/commands.h"
#include "judge/manifest.h"
#include "course/course.h"
#include "course/source.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Copies text to path.bak, path.bak.1, ...: the first that does not exist. Returns its name, or NULL.
static char *keep(const char *path, const char *text)
{
    char *copy = text_format("%s.bak", path);

    for (int i = 1; access(copy, F_OK) == 0; i++) {
        free(copy);
        copy = text_format("%s.bak.%d", path, i);
    }
    if (file_write(copy, text))
        return copy;
    fprintf(stderr, "workbook: cannot write %s; nothing was reset\n", copy);
    free(copy);
    return NULL;
}

// quiet: prints nothing about a file that need not change.
static int reset_file(const char *path, const char *starter, bool quiet)
{
    char *text = file_read(path), *copy = NULL;
    int status = 1;

    if (text && strcmp(text, starter) == 0) {
        if (!quiet)
            printf("%s is as it was handed out\n", shown(path));
        status = 0;
    } else if (!text || (copy = keep(path, text))) {
        status = !file_write(path, starter);
        if (status)
            fprintf(stderr, "workbook: cannot write %s\n", path);
        else
            printf("%s is as it was handed out%s%s\n", shown(path), copy ? "; yours is kept in " : "",
                   copy ? shown(copy) : "");
    }
    free(copy);
    free(text);
    return status;
}

static int reset_step(const struct step *step, bool quiet)
{
    char *starter = handed_out(step), *path = source_path(step, true);
    int status = starter ? reset_file(path, starter, quiet) : 1;

    free(path);
    free(starter);
    return status;
}

int command_reset(int argc, char **argv)
{
    const struct step *step;
    int status = 0;

    if (argc != 1)
        return usage_error("reset ", argc ? "one step at a time, not" : "which step, or --all?", argc ? argv[1] : NULL);
    if (strcmp(argv[0], "--all") == 0) {
        for (int i = 0; i < course.count; i++)
            status |= reset_step(&course.steps[i], true);
        if (status == 0)
            printf("all %d files are as they were handed out\n", course.count);
        return status;
    }
    if (argv[0][0] == '-')
        return usage_error("reset ", "unknown option", argv[0]);
    step = course_find(argv[0], NULL); // the last chapter is not assumed where a file is overwritten
    return step ? reset_step(step, false) : 1;
}

int command_starter(int argc, char **argv)
{
    char *text, *out;

    if (argc != 1)
        return usage_error("starter ", "expected one file", NULL);
    text = file_read(argv[0]);
    out = text ? starter_text(text) : NULL;
    if (!out)
        fprintf(stderr, "workbook: %s %s\n", argv[0],
                text ? "has no `// TODO:` that an `// END TODO` closes" : "cannot be read");
    else
        fputs(out, stdout);
    free(out);
    free(text);
    return out == NULL;
}
