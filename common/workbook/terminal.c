// What the terminal can show, and strings.
#include "workbook.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
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
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
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

void status_line(const char *text)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", text ? text : "");
}

void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "workbook: out of memory\n");
        exit(1);
    }
    return memory;
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return checked(text);
}
