// Reads the submissions that test the grader's verdicts, each an edit of a right program.
//
// tests/submissions/CHAPTER/STEP.wrong has the step's wrong submissions; STEP.cheats has attacks on the grader,
// STEP.right right programs in another style, which must pass, and STEP.mistakes the most common wrong programs and the
// hint for each. A mistake without an edit is the wrong submission of its name:
//
//     === no-barrier: safety 3 Race      name: the part that refuses it, its exit code, words that it must print; for a
//                                        mistake, how its hint begins
//     -        __syncthreads();          lines of the solution, as in a diff: - is removed, + is added, a blank stays;
//     +        ;                         they must occur there exactly once
//     @@                                 another edit of the same submission
//     todo 1                             the + lines that follow replace the code in the first TODO
//     from 04-contiguous                 start from this step's solution instead: the previous step handed in
//     like no-barrier                    start from this submission of the file instead
//
// commands/judge.c explains the first line. After `right 0` there, `more` says when it is run;
// `library` does, too, and spares the check of the source, which refuses CUB. Lines with # are comments.
#include "judge/examples.h"
#include "course/course.h"
#include "base/files.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "=== "
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define NAME LETTERS "0123456789-"

// The parser's state: the submission so far, and the next edit.
struct reader {
    const struct step *step;
    const char *file; // the text with all submissions
    char *program, *old, *new;
};

static bool is_header(const char *line)
{
    return strncmp(line, HEADER, strlen(HEADER)) == 0;
}

// Appends the line, which ends with a newline or with the text.
static void append(char **text, const char *line)
{
    char *longer = text_format("%s%.*s\n", *text, (int)strcspn(line, "\n"), line);

    free(*text);
    *text = longer;
}

static void set(char **text, char *other)
{
    free(*text);
    *text = other;
}

// The first place from `text` on that matches these lines.
static char *find_lines(char *text, const char *lines)
{
    for (char *line = text; *line; line = (char *)line_end(line))
        if (strncmp(line, lines, strlen(lines)) == 0)
            return line;
    return NULL;
}

// Makes the pending edit, if any. False: its old lines do not occur exactly once in the program.
static bool apply(struct reader *r)
{
    char *at = find_lines(r->program, r->old);
    bool once = at && !find_lines((char *)line_end(at), r->old);

    if (!*r->old)
        return !*r->new;
    if (once) {
        set(&r->program, text_format("%.*s%s%s", (int)(at - r->program), r->program, r->new, at + strlen(r->old)));
        set(&r->old, text_format("%s", ""));
        set(&r->new, text_format("%s", ""));
    }
    return once;
}

// Makes the code of this TODO region the text that the edit replaces.
static void select_todo(struct reader *r, int number)
{
    const char *line = r->program, *text;

    while (line && number-- > 0)
        line = (line = strstr(line, "// TODO:")) ? line_end(line) : NULL;
    for (bool code = false; line && *line; line = line_end(line)) {
        text = line + strspn(line, " ");
        if (strncmp(text, "// END TODO", 11) == 0)
            return;
        code |= strncmp(text, "//", 2) != 0;
        if (code)
            append(&r->old, line);
    }
}

static bool start_from(struct reader *r, const char *step)
{
    char *path =
        text_format("%s/solutions/%s/%.*s.cu", course.source, r->step->chapter, (int)strcspn(step, "\n"), step);

    set(&r->program, file_read(path));
    free(path);
    return r->program != NULL;
}

static bool start_like(struct reader *r, const char *name);

static bool read_line(struct reader *r, const char *line)
{
    if (*line == '\n' || *line == '#')
        return true;
    if (*line == '@')
        return apply(r);
    if (strncmp(line, "from ", 5) == 0)
        return start_from(r, line + 5);
    if (strncmp(line, "like ", 5) == 0)
        return start_like(r, line + 5);
    if (strncmp(line, "todo ", 5) == 0) {
        bool applied = apply(r);

        select_todo(r, atoi(line + 5));
        return applied;
    }
    if (*line != '+')
        append(&r->old, line + 1);
    if (*line != '-')
        append(&r->new, line + 1);
    return strchr("-+ ", *line) != NULL;
}

// The end of the submission whose lines begin here.
static const char *body_end(const char *line)
{
    while (*line && !is_header(line))
        line = line_end(line);
    return line;
}

static bool is_header_of(const char *line, const char *name, size_t length)
{
    return is_header(line) && strncmp(line + strlen(HEADER), name, length) == 0 && line[strlen(HEADER) + length] == ':';
}

// The header of the submission of this name in a file's text; NULL: none.
static const char *find_header(const char *text, const char *name, size_t length)
{
    for (const char *line = text; line && *line; line = line_end(line))
        if (is_header_of(line, name, length))
            return line;
    return NULL;
}

// The end of `result 2, safety 3`; NULL: there are no such words here.
static const char *verdict_end(const char *at)
{
    for (;; at += 2) {
        size_t part = strspn(at, LETTERS), code = at[part] == ' ' ? strspn(at + part + 1, NAME) : 0;

        if (part == 0 || code == 0)
            return NULL;
        at += part + 1 + code;
        if (strncmp(at, ", ", 2) != 0)
            return at;
    }
}

// The program that these lines of the file make from this step's solution, which the caller frees; NULL: an
// edit does not fit.
static char *make(const struct step *step, const char *file, const char *body)
{
    struct reader r = {step, file, NULL, text_format("%s", ""), text_format("%s", "")};
    bool good = start_from(&r, step->name);

    for (const char *end = body_end(body); good && body < end; body = line_end(body))
        good = read_line(&r, body);
    good = good && apply(&r);
    if (!good)
        set(&r.program, NULL);
    free(r.old);
    free(r.new);
    return r.program;
}

// searches only submissions before this one, so that none is like itself
static bool start_like(struct reader *r, const char *name)
{
    const char *header = find_header(r->file, name, strcspn(name, "\n")), *body = header ? line_end(header) : NULL;

    set(&r->program, body && body_end(body) <= name ? make(r->step, r->file, body) : NULL);
    return r->program != NULL;
}

// Parses a header after its name: the verdict, up to *end, and the words after it. NULL: invalid.
static const char *verdict_of(const char *header, const char **end)
{
    const char *name = header + strlen(HEADER), *verdict;
    size_t length = strspn(name, NAME);

    verdict = length > 0 && strncmp(name + length, ": ", 2) == 0 ? name + length + 2 : NULL;
    *end = verdict ? verdict_end(verdict) : NULL;
    return *end ? verdict : NULL;
}

// The words after a verdict that ends here; the caller frees them.
static char *words_after(const char *end)
{
    end += strspn(end, " ");
    return text_format("%.*s", (int)strcspn(end, "\n"), end);
}

// Whether this is the header of a submission without an edit.
static bool is_bare(const char *header)
{
    const char *body = line_end(header);

    return *body == '\n' || body == body_end(body);
}

bool example_is_right(const struct example *e)
{
    return strcmp(e->wanted, "right 0") == 0;
}

// Sets the expectations of e. other: the header of the mistake of the same name, or NULL. Its hint is expected if both
// are one program and the same part should refuse it first.
static void set_wanted(struct example *e, const char *verdict, const char *end, const char *other)
{
    bool mistake = strstr(e->place, ".mistakes.") != NULL;

    e->wanted = text_format("%.*s", (int)(end - verdict), verdict);
    e->words = mistake || example_is_right(e) ? text_format("%s", "") : words_after(end);
    e->uses_library = example_is_right(e) && strncmp(end, " library\n", 9) == 0;
    if (mistake)
        e->hint = words_after(end);
    else if (other && is_bare(other) && (verdict = verdict_of(other, &end)) != NULL &&
             strncmp(e->wanted, verdict, (size_t)(end - verdict)) == 0)
        e->hint = words_after(end);
}

// The submissions of a step that are being read.
struct source {
    const struct step *step;
    const char *kind;
    char *file;         // CHAPTER/STEP.KIND
    char *text, *other; // its text; for a wrong submission also that of .mistakes, for a mistake that of .wrong
};

// Adds the submission of source that has this header.
static bool add(struct examples *examples, const struct source *source, const char *line)
{
    const char *name = line + strlen(HEADER), *verdict, *end, *body = line_end(line), *other, *why = NULL;
    int length = (int)strspn(name, NAME);
    struct example *e;

    verdict = verdict_of(line, &end);
    other = find_header(source->other, name, (size_t)length);
    if (strcmp(source->kind, "mistakes") == 0 && is_bare(line))
        body = other ? line_end(other) : NULL;
    examples->at = checked(realloc(examples->at, (size_t)(examples->count + 1) * sizeof *examples->at));
    e = &examples->at[examples->count++];
    *e = (struct example){.step = source->step};
    e->name = text_format("%s.%s.%.*s", source->step->chapter, source->step->name, length, name);
    e->place = text_format("%s.%.*s", source->file, length, name);
    if (!verdict)
        why = "its first line is not `=== NAME: PART CODE WORDS`";
    else if (!body)
        why = "it has no edit, and there is no wrong submission of this name";
    else if ((e->text = make(source->step, body == line_end(line) ? source->text : source->other, body)) == NULL)
        why = "its edit is not understood, or its lines are not in the solution exactly once";
    if (why)
        fprintf(stderr, "workbook: %s: %s\n", e->place, why);
    else
        set_wanted(e, verdict, end, strcmp(source->kind, "wrong") == 0 ? other : NULL);
    return !why;
}

// The text of CHAPTER/STEP.KIND, which the caller frees; NULL: no such file.
static char *read_kind(const struct step *step, const char *kind)
{
    char *path = text_format("%s/tests/submissions/%s/%s.%s", course.source, step->chapter, step->name, kind);
    char *text = file_read(path);

    free(path);
    return text;
}

bool examples_read(struct examples *examples, const char *place)
{
    static const char folder[] = "tests/submissions/"; // may precede the name
    const char *in_folder = strstr(place, folder);
    char chapter[80] = "", name[80] = "", kind[20] = "", only[80] = "";
    bool named = sscanf(in_folder ? in_folder + strlen(folder) : place, "%79[^/]/%79[^.].%19[a-z].%79s", chapter, name,
                        kind, only) >= 3;
    struct source source = {.step = named ? course_step(chapter, name) : NULL, .kind = kind};
    int before = examples->count;
    bool good = true;

    source.file = text_format("%s/%s.%s", chapter, name, kind);
    source.text = source.step ? read_kind(source.step, kind) : NULL;
    if (source.text && (strcmp(kind, "mistakes") == 0 || strcmp(kind, "wrong") == 0))
        source.other = read_kind(source.step, strcmp(kind, "wrong") == 0 ? "mistakes" : "wrong");
    for (const char *line = source.text; line && *line; line = line_end(line))
        if (*only ? is_header_of(line, only, strlen(only)) : is_header(line))
            good &= add(examples, &source, line);
    if (examples->count == before)
        good = false, fprintf(stderr, "workbook: tests/submissions has no submission %s\n", place);
    free(source.other);
    free(source.text);
    free(source.file);
    return good;
}

void examples_free(struct examples *examples)
{
    for (int i = 0; i < examples->count; i++) {
        struct example *e = &examples->at[i];

        free(e->name);
        free(e->place);
        free(e->wanted);
        free(e->words);
        free(e->hint);
        free(e->text);
    }
    free(examples->at);
}
