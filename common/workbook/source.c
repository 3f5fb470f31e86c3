// Exercise files: reading, writing, and the region that a student fills.
#include "workbook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *file_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0, size = 0, got;

    if (!file)
        return NULL;
    do {
        size = size ? 2 * size : 4096;
        text = checked(realloc(text, size + 1));
        got = fread(text + length, 1, size - length, file);
        length += got;
    } while (length == size);
    text[length] = 0;
    if (ferror(file)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

bool file_is(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool file_write(const char *path, const char *text)
{
    char *fresh = text_format("%s.new", path);
    FILE *file = fopen(fresh, "w");
    bool good = file && fputs(text, file) >= 0;

    if (file && fclose(file) != 0)
        good = false;
    good = good && rename(fresh, path) == 0;
    if (!good) {
        int why = errno;

        remove(fresh);
        errno = why;
    }
    free(fresh);
    return good;
}

// FNV-1a, 64 bits.
uint64_t text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

// Where a line stands towards the TODO regions.
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

static const char *line_end(const char *line)
{
    const char *newline = strchr(line, '\n');

    return newline ? newline + 1 : line + strlen(line);
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

int open_todo(const char *text)
{
    int number = 0;

    for (const char *line = text; *line; line = line_end(line)) {
        number++;
        if (starts(line, OPEN_LINE))
            return number;
    }
    return 0;
}

int todo_line(const char *text)
{
    int number = 0;

    for (const char *line = text; *line; line = line_end(line)) {
        number++;
        if (starts(line, "// TODO:"))
            return number;
    }
    return 0;
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
