// What a finding means: a section of docs/findings.md. Its headings are the short names that the machine prints.
#include "learn/learn.h"
#include "course/course.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

static bool is_heading(const char *line)
{
    return strncmp(line, "## ", 3) == 0;
}

// Lists the names on the page in its order, each to be freed; returns their number.
static int read_names(const char *page, char *names[MOST])
{
    int count = 0;

    for (const char *line = page; *line && count < MOST; line = line_end(line))
        if (is_heading(line))
            names[count++] = text_format("%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    return count;
}

// The text below the heading of that name, or NULL.
static const char *find_section(const char *page, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = page; *line; line = line_end(line))
        if (is_heading(line) && strncmp(line + 3, name, length) == 0 && line[3 + length] == '\n')
            return line_end(line);
    return NULL;
}

// A paragraph without Markdown's markup: `[text](page.md#part)` becomes `text (docs/page.md)`. Code stays as it is.
static char *plain_paragraph(const char *begin, size_t length)
{
    char *out = checked(malloc(2 * length + 1)), *to = out;
    bool code = false;

    for (const char *from = begin, *end = begin + length; from < end; from++) {
        code ^= *from == '`';
        if (*from == '`' || (*from == '[' && !code))
            continue;
        if (code || *from != ']' || from[1] != '(') {
            *to++ = *from;
            continue;
        }
        from += 2;
        to += sprintf(to, " (docs/%.*s)", (int)strcspn(from, "#)"), from);
        from += strcspn(from, ")");
    }
    *to = 0;
    return out;
}

// A fenced block, from its fence to the line after it: its lines, indented.
static const char *print_code(const char *line)
{
    for (line = line_end(line); *line && strncmp(line, "```", 3) != 0; line = line_end(line))
        printf("    %.*s", (int)(line_end(line) - line), line);
    return line_end(line);
}

static void print_section(const char *line)
{
    while (*line && !is_heading(line)) {
        const char *end = strstr(line, "\n\n");
        size_t length = end ? (size_t)(end - line) : strlen(line);

        if (strncmp(line, "```", 3) == 0) {
            line = print_code(line);
        } else if (*line != '\n') {
            char *words = plain_paragraph(line, length);

            print_wrapped(words);
            free(words);
            line += length;
        }
        printf("\n");
        line += strspn(line, "\n");
    }
}

static void print_names(char *const names[], int count)
{
    char *all = text_format("%s", ""), *more;

    for (int i = 0; i < count; i++, all = more) {
        more = text_format("%s%s%s", all, i ? " " : "", names[i]);
        free(all);
    }
    print_wrapped(all);
    free(all);
    printf("\n");
    print_line("`%s explain NAME` explains one.", program_name);
}

static int unknown(const char *name, char *const names[], int count)
{
    const char *near = nearest(name, (const char *const *)names, count);

    fprintf(stderr, "workbook: no finding is called '%s'%s%s%s `%s explain` shows all names\n", name,
            near ? "; did you mean '" : ";", near ? near : "", near ? "'?" : "", program_name);
    return 1;
}

int command_explain(int argc, char **argv)
{
    char *path = text_format("%s/docs/findings.md", course.source), *page = file_read(path), *names[MOST];
    const char *section = page && argc == 1 ? find_section(page, argv[0]) : NULL;
    int count = page ? read_names(page, names) : 0, status = 0;

    if (argc > 1) {
        status = usage_error("explain ", "one name at a time, not", argv[1]);
    } else if (!page) {
        fprintf(stderr, "workbook: cannot read %s\n", path);
        status = 1;
    } else if (section) {
        printf("%s%s%s\n\n", colour("bold"), argv[0], colour("off"));
        print_section(section + strspn(section, "\n"));
    } else if (argc == 1) {
        status = unknown(argv[0], names, count);
    } else {
        print_names(names, count);
    }
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(page);
    free(path);
    return status;
}
