// What the terminal can display, and strings.
#include "base/terminal.h"
#include "base/text.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *program_name = "workbook";

static bool coloured;

void terminal_open(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    setlocale(LC_CTYPE, "");
    coloured = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

int terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (columns && atoi(columns) >= 20)
        return atoi(columns);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
            return size.ws_col;
    return 80;
}

bool terminal_shown(void)
{
    return isatty(STDOUT_FILENO);
}

int terminal_fold(void)
{
    return terminal_shown() ? terminal_width() : INT_MAX;
}

bool terminal_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *colour(const char *name)
{
    static const char *const codes[][2] = {
        {"off", "\033[0m"},  {"bold", "\033[1m"},   {"dim", "\033[2m"},
        {"red", "\033[31m"}, {"green", "\033[32m"}, {"yellow", "\033[33m"},
    };

    for (size_t i = 0; coloured && i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i][0], name) == 0)
            return codes[i][1];
    return "";
}

const char *terminal_sign(const char *utf8, const char *ascii)
{
    return terminal_utf8() ? utf8 : ascii;
}

const char *verdict_sign(bool good)
{
    return good ? terminal_sign("✓", "ok:") : terminal_sign("✗", "no:");
}

void terminal_clear(void)
{
    const char *term = getenv("TERM");

    if (isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0)
        printf("\033[H\033[2J");
}

static bool fits(const char *text, int width)
{
    for (const char *line = text; *line; line += strspn(line, "\n")) {
        int length = (int)strcspn(line, "\n");

        if (length > width)
            return false;
        line += length;
    }
    return true;
}

void print_wrapped(const char *text)
{
    int width = terminal_width(), at = 0;

    if (fits(text, width)) {
        printf("%s%s", text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
        return;
    }
    for (const char *word = text; *word;) {
        int gap = (int)strspn(word, " \n"), length, breaks = 0;

        for (int i = 0; i < gap; i++)
            breaks += word[i] == '\n';
        word += gap;
        length = (int)strcspn(word, " \n");
        if (length == 0)
            break;
        if (at > 0 && (breaks > 1 || (breaks == 1 && strncmp(word, "TODO:", 5) == 0))) {
            printf(breaks > 1 ? "\n\n" : "\n");
            at = 0;
        } else if (at > 0 && at + 1 + length > width) {
            printf("\n");
            at = 0;
        }
        at += printf("%s%.*s", at > 0 ? " " : "", length, word);
        word += length;
    }
    printf("\n");
}

void print_folded(const char *line, int length, int width)
{
    int indent = 0, begin = (int)strspn(line, " ");

    while (indent + length > width) {
        int end = width - indent;

        while (end > begin && line[end] != ' ')
            end--;
        if (end <= begin) // a word wider than the line is kept whole
            end = begin + (int)strcspn(line + begin, " \n");
        if (end >= length)
            break;
        printf("%*s%.*s\n", indent, "", end, line);
        end += (int)strspn(line + end, " ");
        indent = indent ? indent : begin + 2;
        begin = 0;
        line += end;
        length -= end;
    }
    printf("%*s%.*s\n", indent, "", length, line);
}

void print_line(const char *format, ...)
{
    va_list arguments;
    char *line;

    va_start(arguments, format);
    line = text_from(format, arguments);
    va_end(arguments);
    print_folded(line, (int)strlen(line), terminal_fold());
    free(line);
}

int usage_error(const char *command, const char *problem, const char *argument)
{
    fprintf(stderr, "workbook: %s%s%s%s; see `%s %s--help`\n", problem, argument ? " '" : "", argument ? argument : "",
            argument ? "'" : "", program_name, command);
    return 1;
}

// text with each control or undisplayable character replaced by ?; the caller frees it.
char *text_plain(const char *text)
{
    char *plain = checked(malloc(strlen(text) + 1)), *to = plain;

    for (int length; *text; text += length) {
        length = utf8_length(text);
        if (length > 1 && terminal_utf8())
            to = mempcpy(to, text, (size_t)length);
        else
            *to++ = length == 1 && *text >= 32 && *text < 127 ? *text : '?';
    }
    *to = 0;
    return plain;
}
