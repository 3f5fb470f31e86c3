// Checks of a submission before it runs. They do not restrict what it does: it runs in a process that holds neither the
// driver nor the machine (common/remote). They check:
//
//     the text      is there a program, and where does it differ from the file handed out, outside the TODO? This is
//                   reported, and refused where the course is strict
//     the headers   does it use an algorithm of a library, or a file from neither the toolkit nor the course? By
//                   the compiler's own list of what it read
//     the tree      headers and course table, by the hashes in common/handout.manifest (starters only: see manifest.c)
#include "judge/check.h"
#include "course/course.h"
#include "course/source.h"
#include "course/tokens.h"
#include "base/files.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct check {
    const char *name; // 01-reduction/05-sequential.cu
    struct tokens here, given;
};

static bool is(const struct token *t, const char *text)
{
    return strcmp(t->text, text) == 0;
}

// ---- outside the TODO

// The next token outside the regions.
static int next_outside(const struct tokens *t, int i, const bool *inside)
{
    while (i < t->count && inside[t->at[i].line])
        i++;
    return i;
}

static char *line_text(const char *text, int line)
{
    for (; line > 1; line--)
        text = line_end(text);
    text += strspn(text, " \t");
    return text_format("%.*s", (int)strcspn(text, "\n"), text);
}

// Describes the first difference outside the TODO regions; comments and blanks do not count, the marker lines do.
static char *first_difference(const struct check *c, const char *text, const char *given_text)
{
    int markers, given_markers, i = 0, k = 0;
    bool *inside = todo_lines(text, &markers), *given_inside = todo_lines(given_text, &given_markers);
    char *words = NULL, *line, *given_line;

    for (;; i++, k++) {
        i = next_outside(&c->here, i, inside);
        k = next_outside(&c->given, k, given_inside);
        if (i >= c->here.count || k >= c->given.count || !is(&c->here.at[i], c->given.at[k].text))
            break;
    }
    if (i < c->here.count || k < c->given.count) {
        int at = c->here.count ? c->here.at[i < c->here.count ? i : c->here.count - 1].line : 1;

        line = i < c->here.count ? line_text(text, at) : text_format("(the end)");
        given_line = k < c->given.count ? line_text(given_text, c->given.at[k].line) : text_format("(the end)");
        words =
            text_format("%s:%d: differs from what was handed out, outside the TODO\n  handed out  %s\n  here        %s",
                        c->name, at, given_line, line);
        free(line);
        free(given_line);
    } else if (markers != given_markers) {
        words = text_format("%s: has %d lines '// TODO:' and '// END TODO', %d were handed out", c->name, markers,
                            given_markers);
    }
    free(inside);
    free(given_inside);
    return words;
}

// Why it contains no program, or NULL.
static char *nothing_there(const struct check *c)
{
    int count = 0;

    for (int i = 0; i < c->here.count; i++)
        count += is(&c->here.at[i], "main");
    if (count > 0)
        return NULL;
    return text_format("refused: %s: %s; `workbook reset` restores it", c->name,
                       c->here.count == 0 ? "it is empty" : "its main is missing");
}

// text: a submission for step; given: the starter. Returns why it is refused, NULL if it is not; *altered, which the
// caller also frees, describes the first difference outside the TODO, or is NULL.
char *check_source(const struct step *step, const char *text, const char *given, char **altered)
{
    char *name = text_format("%s/%s.cu", step->chapter, step->name), *why;
    struct check c = {.name = name, .here = tokens_of(text), .given = tokens_of(given)};

    why = nothing_there(&c);
    *altered = first_difference(&c, text, given);
    tokens_free(&c.here);
    tokens_free(&c.given);
    free(name);
    return why;
}

// ---- headers

// Library algorithms that the exercises implement.
static const char *const algorithms[] = {"/cub/", "/thrust/", "/cublas", "/cusparse", "/cusolver"};

// Whether it was installed with the system or the toolkit: it is in a folder named include, and belongs to root or to
// the owner of nvcc. The name alone is not enough, since a student's folder may have it, too.
static bool is_installed(const char *path)
{
    struct stat header, nvcc;

    if (!strstr(path, "/include/") || stat(path, &header) != 0)
        return false;
    return header.st_uid == 0 || (stat(course.nvcc, &nvcc) == 0 && header.st_uid == nvcc.st_uid);
}

// Why a submission must not read a file, or NULL.
static char *wrong_header(const struct step *step, const char *path)
{
    char *common = text_format("%s/common/", course.source), *why = NULL;
    const char *dot = strrchr(path, '.');
    bool ours = strncmp(path, common, strlen(common)) == 0, submission = dot && strcmp(dot, ".cu") == 0;

    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms && !ours; i++)
        if (strstr(path, algorithms[i]))
            why = text_format("refused: %s/%s.cu: it includes %s; the exercise is to write that", step->chapter,
                              step->name, path);
    if (!why && !ours && (submission || !is_installed(path)))
        why = text_format("refused: %s/%s.cu: it includes %s, which is neither the toolkit's nor handed out",
                          step->chapter, step->name, path);
    free(common);
    return why;
}

// The next word of a make rule; a backslash precedes a blank in a name. NULL: the end.
static char *next_name(char **rest)
{
    char *name, *to;

    *rest += strspn(*rest, " \\\n");
    if (!**rest)
        return NULL;
    for (name = to = *rest; **rest && **rest != ' ' && **rest != '\n'; (*rest)++) {
        *rest += **rest == '\\' && (*rest)[1] == ' ';
        *to++ = **rest;
    }
    *rest += **rest != 0;
    *to = 0;
    return name;
}

char *check_headers(const struct step *step, const char *list)
{
    char *text = file_read(list), *rest = text ? strchr(text, ':') : NULL, *why = NULL, *name;

    rest = rest ? rest + 1 : NULL;
    if (rest)
        next_name(&rest); // the submission itself
    while (rest && !why && (name = next_name(&rest)))
        why = wrong_header(step, name);
    free(text);
    return why;
}

char *check_messages(const struct step *step, const char *source, const char *said)
{
    static const char from[] = "In file included from ";
    char *why = NULL;

    for (const char *line = said; *line && !why; line = line_end(line)) {
        const char *name = line + (strncmp(line, from, strlen(from)) == 0 ? strlen(from) : 0);
        const char *end = name + strcspn(name, "\n:(");
        char *path = text_format("%.*s", (int)(end - name), name);

        if (*name == '/' && (*end == ':' || *end == '(') && isdigit((unsigned char)end[1]) && strcmp(path, source) != 0)
            why = wrong_header(step, path);
        free(path);
    }
    return why;
}
