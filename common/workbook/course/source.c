// Exercise files: reading, writing, and the region that a student fills in.
#include "course/source.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// A line's position relative to the TODO regions.
enum region { OUTSIDE, OPENING, WORDS, CODE, CLOSING };

static bool starts(const char *line, const char *word)
{
    line += strspn(line, " \t");
    return strncmp(line, word, strlen(word)) == 0;
}

static enum region next_part(enum region before, const char *line)
{
    bool inside = before == OPENING || before == WORDS || before == CODE;

    if (!inside)
        return starts(line, "// TODO:") ? OPENING : OUTSIDE;
    if (starts(line, "// END TODO"))
        return CLOSING;
    return before != CODE && starts(line, "//") ? WORDS : CODE;
}

#define OPEN_LINE "#define TODO_OPEN"

char *starter_text(const char *text)
{
    char *out = checked(malloc(2 * strlen(text) + 64)), *to = out;
    enum region part = OUTSIDE, before = OUTSIDE;
    int regions = 0;

    for (const char *line = text, *end; *line; line = end, before = part) {
        end = line_end(line);
        part = next_part(before, line);
        if ((part == CODE && before != CODE) || (part == CLOSING && before != CODE)) {
            to = stpcpy(to, OPEN_LINE " // delete this line when the TODO is done\n");
            regions++;
        }
        if (part != CODE)
            to = mempcpy(to, line, (size_t)(end - line));
    }
    *to = 0;
    if (regions > 0 && (part == OUTSIDE || part == CLOSING))
        return out;
    free(out);
    return NULL;
}

bool *todo_lines(const char *text, int *markers)
{
    bool *inside = checked(calloc(strlen(text) + 3, sizeof *inside));
    enum region part = OUTSIDE;
    int number = 0;

    *markers = 0;
    for (const char *line = text; *line; line = line_end(line)) {
        part = next_part(part, line);
        *markers += part == OPENING || part == CLOSING;
        inside[++number] = part == CODE;
    }
    return inside;
}

// The first line that starts with word; 0: none.
static int line_of(const char *text, const char *word)
{
    int number = 1;

    for (const char *line = text; *line; line = line_end(line), number++)
        if (starts(line, word))
            return number;
    return 0;
}

int open_todo(const char *text)
{
    return line_of(text, OPEN_LINE);
}

int todo_line(const char *text)
{
    return line_of(text, "// TODO:");
}

char *todo_words(const char *text)
{
    char *out = checked(calloc(strlen(text) + 1, 1));
    enum region part = OUTSIDE;

    for (const char *line = text, *end; *line; line = end) {
        const char *word = line + strspn(line, " \t");

        end = line_end(line);
        part = next_part(part, line);
        if (part == OPENING || part == WORDS)
            strncat(out, word + 2, (size_t)(end - word - 2));
    }
    return out;
}
