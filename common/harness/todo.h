// todo.h: how a program knows that it is a starter.
//
// A starter holds, between its lines // TODO: and // END TODO, the line '#define TODO_OPEN', which the student deletes
// when the work is done. The compiler sees it, so the verdict is about the program as built and needs no source at run
// time; the source is read only to report the line.
#pragma once

#include <stdio.h>
#include <string.h>

// 1 after a '#define TODO_OPEN', else 0: as text, TODO_OPEN is "" where it is defined, its own name elsewhere. Use it
// in a macro that the exercise's main expands, below all its TODOs.
#define TODO_TEXT_(x) #x
#define TODO_TEXT(x) TODO_TEXT_(x)
#define TODO_IS_OPEN (TODO_TEXT(TODO_OPEN)[0] == 0)

// What a step's main passes to its driver in addition to the functions: INVOCATION(argc, argv), in main's last line.
struct invocation {
    int argc;
    char **argv;
    const char *file; // the step's source
    int todo_open;
};
#define INVOCATION(argc, argv) \
    { \
        argc, argv, __FILE__, TODO_IS_OPEN \
    }

// The last directory and the name of a source, 01-reduction/05-sequential.cu, whatever path nvcc got; for a header in a
// folder of common, common/device/tridiagonal_equations.h.
static inline const char *source_name(const char *file)
{
    const char *c = file + strlen(file);
    for (int slashes = 0; c > file; c--)
        if (c[-1] == '/' && ++slashes == 2)
            break;
    if (c - file >= 7 && !strncmp(c - 7, "common/", 7) && (c - file == 7 || c[-8] == '/'))
        c -= 7;
    return c;
}

// Line of the first '#define TODO_OPEN' in file; 0: there is none, -1: no such file.
static inline int todo_line(const char *file)
{
    FILE *source = fopen(file, "r");
    char text[512];
    int line = 0, found = 0;
    if (!source)
        return -1;
    while (!found && fgets(text, sizeof text, source)) {
        found = !strncmp(text + strspn(text, " \t"), "#define TODO_OPEN", 17);
        line++;
    }
    fclose(source);
    return found ? line : 0;
}

static inline void report_not_done(const char *file, int answers_right)
{
    const char *name = source_name(file);
    int line = todo_line(file);
    if (line > 0)
        fprintf(stderr, "not done: %s:%d: TODO is still open\n  %s, then delete this line.\n", name, line,
                answers_right ? "Make sure that it is done" : "Do what the comment above it says");
    else
        fprintf(stderr, "not done: %s: TODO was open when this program was built\n  %s.\n", name,
                line ? "That source has moved: the line is not known" : "It is closed now: build again");
}
