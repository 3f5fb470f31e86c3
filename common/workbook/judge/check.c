// What is wrong with a submission as a text, before it is built: did it change what grades it?
//
// A student may write the kernels and the host function as he likes, also outside the TODO: there a difference is
// reported, and refused only where the course is strict. Refused always are
//
//     the frame     the chapter's #include, main, and the macros that main hands to the driver are as handed out
//     the words     nothing that reaches for the harness, ends the program, or gets round the device
//     the tree      headers and course table, by the hashes in common/handout.manifest (starters alone: see manifest.c)
//
// Every refusal is one line with file and line, and what to do. The words are a first hurdle, read without macros being
// expanded (## is refused); the record (process.c) and the sandbox stand behind it.
#include "judge/check.h"
#include "judge/words.h"
#include "course/course.h"
#include "course/source.h"
#include "course/tokens.h"
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check {
    const char *name; // 01-reduction/05-sequential.cu
    struct tokens here, given;
    char *why; // the first refusal
};

__attribute__((format(printf, 3, 4))) static void refuse(struct check *c, int line, const char *format, ...)
{
    char text[600];
    va_list arguments;

    if (c->why)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->why = line > 0 ? text_format("refused: %s:%d: %s", c->name, line, text)
                      : text_format("refused: %s: %s", c->name, text);
}

static bool is(const struct token *t, const char *text)
{
    return strcmp(t->text, text) == 0;
}

static bool listed(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

// ---- the words

// Is token i of a #pragma?
static bool of_pragma(const struct check *c, int i)
{
    while (i > 0 && !c->here.at[i].first)
        i--;
    return is(&c->here.at[i], "#") && i + 1 < c->here.count && is(&c->here.at[i + 1], "pragma");
}

// The first token of the declaration outside of all braces that token i belongs to; not before a directive.
static int declaration(const struct check *c, int i)
{
    const struct token *at = c->here.at;

    while (i > 0 && (!at[i - 1].directive || of_pragma(c, i - 1)) &&
           !(at[i - 1].depth == 0 && listed("; }", at[i - 1].text)))
        i--;
    return i;
}

// Is token i a variable's name, declared or given a value here or before, in the same function and block? Or a
// member's?
static bool declared(const struct check *c, int i)
{
    const struct token *at = c->here.at;
    int depth = at[i].depth;

    if (i > 1 && (is(&at[i - 1], ".") || (is(&at[i - 1], ">") && is(&at[i - 2], "-"))))
        return true;
    for (int k = i; k > 0 && !(at[k].depth == 0 && listed("; }", at[k].text)); k--) {
        depth = at[k].depth < depth ? at[k].depth : depth;
        if (is(&at[k], at[i].text) && at[k].depth <= depth &&
            (listed(types, at[k - 1].text) || (k + 2 < c->here.count && is(&at[k + 1], "=") && !is(&at[k + 2], "="))))
            return true;
    }
    return false;
}

// Is token i the name of a function of the device's, or in one? There the host's functions cannot be called. Not sure
// is no: behind a directive or '=', in a class, or where a macro may have taken a part away.
static bool for_device(const struct check *c, int i)
{
    const struct token *at = c->here.at;
    int parentheses = 0, k = declaration(c, i);
    bool device = false, sure = !at[i].directive;

    for (; k < i && !is(&at[k], "{"); k++) {
        device |= parentheses == 0 && listed("__device__ __global__", at[k].text);
        sure &= !listed("__host__ = typedef using namespace", at[k].text);
        parentheses += is(&at[k], "(") - is(&at[k], ")");
        sure &= parentheses >= 0;
    }
    sure &= parentheses == 0 && (k == i || is(&at[k - 1], ")"));
    for (; k < i; k++) {
        sure &= !listed("struct class union", at[k].text) || !(is(&at[k + 1], "{") || is(&at[k + 2], "{"));
        parentheses += is(&at[k], "(") - is(&at[k], ")");
        sure &= parentheses >= 0;
    }
    return device && sure;
}

// Words of the system's that are also good names for a variable, a type, a kernel, or a function of the device's.
static void check_call(struct check *c, int i)
{
    const struct token *t = &c->here.at[i];
    const char *before = i > 0 ? t[-1].text : "", *behind = i + 1 < c->here.count ? t[1].text : "";
    bool called = *behind == '(' || (*before == '(' && *behind == ')') || *before == ':';
    bool launched = *behind == '<' && i + 3 < c->here.count && is(t + 2, "<") && is(t + 3, "<");
    bool harmless = launched || strcmp(before, "struct") == 0 || (*behind == '(' && for_device(c, i));

    if (harmless || !listed(system_calls, t->text))
        return;
    if (t->directive || called || !declared(c, i))
        refuse(c, t->line, "'%s' is a system call; an exercise needs none", t->text);
}

static void check_word(struct check *c, int i)
{
    const struct token *t = &c->here.at[i];

    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (listed(refused[k].words, t->text))
            refuse(c, t->line, "'%s' %s", t->text, refused[k].why);
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (strncmp(t->text, prefixes[k], strlen(prefixes[k])) == 0 && !is(t, "TODO_OPEN"))
            refuse(c, t->line, "'%s': names that begin with %s belong to the grader", t->text, prefixes[k]);
    if (is(t, "signal") && i + 1 < c->here.count && is(t + 1, "("))
        refuse(c, t->line, "'signal' handles signals; a program that crashes must crash");
    check_call(c, i);
}

// A function of the C library that is redefined would replace the harness's.
static void check_definition(struct check *c, int i)
{
    const struct token *t = &c->here.at[i];

    if (t->depth == 0 && !t->directive && i + 1 < c->here.count && is(t + 1, "(") &&
        listed(library_functions, t->text) && !for_device(c, i))
        refuse(c, t->line, "'%s' is the C library's; give your function another name", t->text);
    if (is(t, "extern") && i + 1 < c->here.count && t[1].kind == TOKEN_STRING)
        refuse(c, t->line, "extern %s would let this file replace functions of the harness", t[1].text);
}

// PTX is welcome: a statement, in a function. Names of the linker and the host's instructions are not.
static void check_asm(struct check *c, int i)
{
    const struct token *t = &c->here.at[i];
    bool statement = false;
    int line = t->line;

    if (t->kind != TOKEN_WORD || !listed(asm_words, t->text))
        return;
    for (t++; t < c->here.at + c->here.count && !is(t, ";"); t++) {
        for (size_t k = 0; t->kind == TOKEN_STRING && k < sizeof no_ptx / sizeof *no_ptx; k++)
            if (strstr(t->text, no_ptx[k]))
                refuse(c, t->line, "'%s' in an asm is not PTX", no_ptx[k]);
        statement |= t->kind == TOKEN_STRING && strchr(t->text, ';');
    }
    if (!statement || c->here.at[i].depth == 0)
        refuse(c, line, "an asm here is a PTX statement inside a function, ended by ';' within the string");
}

// ---- directives

// Is there such a file of the workbook's own, found by the same -I common?
static bool ours(const char *name)
{
    char *path = text_format("%s/common/%s", course.source, name);
    bool found = access(path, F_OK) == 0;

    free(path);
    return found;
}

// A header of CUDA's, or one of C's that has nothing to do with the system.
static bool is_harmless(const char *name)
{
    size_t length = strlen(name);
    char *bare = length > 2 && strcmp(name + length - 2, ".h") == 0 ? text_format("%.*s", (int)length - 2, name)
                 : *name == 'c'                                     ? text_format("%s", name + 1)
                                                                    : text_format("-");
    bool found = listed(c_headers, bare) || listed(cpp_headers, name);

    for (size_t i = 0; i < sizeof cuda_headers / sizeof *cuda_headers; i++)
        found |= strncmp(name, cuda_headers[i], strlen(cuda_headers[i])) == 0;
    free(bare);
    return found;
}

static void check_include(struct check *c, const struct token *t)
{
    const struct token *end = c->here.at + c->here.count, *u = t + 3;
    bool angle = is(t + 2, "<") && u < end && isalpha((unsigned char)u->text[0]);
    char name[200] = "";

    for (int k = 0; k + 2 < c->given.count && !angle; k++)
        if (is(&c->given.at[k], "#") && is(&c->given.at[k + 1], "include") && is(t + 2, c->given.at[k + 2].text))
            return;
    for (; angle && u < end && !u->first && !is(u, ">"); u++) {
        if (listed(algorithms, u->text))
            refuse(c, t->line, "#include <%s...: write the algorithm yourself instead of calling a library", u->text);
        angle = !(is(u, ".") && is(u + 1, ".")) && strlen(name) + strlen(u->text) < sizeof name;
        if (angle)
            strcat(name, u->text);
    }
    if (!angle)
        refuse(c, t->line, "#include %s was not handed out; headers of CUDA in <> may be added, no others", t[2].text);
    else if (!is_harmless(name) && !ours(name))
        refuse(c, t->line, "#include <%s>: headers of CUDA and of standard C may be added, no others", name);
    else if (ours(name))
        refuse(c, t->line, "#include <%s>: a header of the workbook that was not handed out with this step", name);
}

// Whether main, or the driver's macros, could take the name for something else.
static bool guarded(const struct check *c, const char *name)
{
    int begin = c->given.count;
    size_t length = strlen(name);

    if (listed(of_main, name) || (length > 5 && strcmp(name + length - 5, "_main") == 0) ||
        strncmp(name, "check_", 6) == 0)
        return true;
    while (begin > 0 && !is(&c->given.at[begin - 1], "main"))
        begin--;
    for (int i = begin; i < c->given.count; i++)
        if (strcmp(c->given.at[i].text, name) == 0)
            return true;
    return false;
}

// The tokens behind #define NAME in one of the files, up to the end of the line; how often it is defined.
static const struct token *definition(const struct tokens *t, const char *name, int *times)
{
    const struct token *found = NULL;

    *times = 0;
    for (int i = 0; i + 2 < t->count; i++)
        if (t->at[i].first && is(&t->at[i], "#") && is(&t->at[i + 1], "define") && is(&t->at[i + 2], name)) {
            found = &t->at[i + 3];
            ++*times;
        }
    return found;
}

// ---- sizes

struct sum {
    const struct tokens *t;
    int at, depth;
    bool bad;
};

static long long value_of(struct sum *s, int weakest);

static const char *now(const struct sum *s)
{
    return s->at < s->t->count && !s->t->at[s->at].first ? s->t->at[s->at].text : "";
}

static long long macro_value(const struct tokens *t, const char *name, int depth)
{
    int times;
    const struct token *found = definition(t, name, &times);
    struct sum s = {t, found ? (int)(found - t->at) : 0, depth, false};
    long long value = times == 1 && depth < 20 ? value_of(&s, 0) : -1;

    return s.bad || *now(&s) ? -1 : value;
}

static long long factor(struct sum *s)
{
    const char *text = now(s);
    long long value = -1;

    s->at++;
    if (isdigit((unsigned char)*text)) {
        value = strtoll(text, NULL, 0);
    } else if (strcmp(text, "(") == 0) {
        value = value_of(s, 0);
        s->bad |= strcmp(now(s), ")") != 0;
        s->at++;
    } else {
        value = isalpha((unsigned char)*text) ? macro_value(s->t, text, s->depth + 1) : -1;
    }
    s->bad |= value < 0 || value > 1 << 30;
    return s->bad ? 0 : value;
}

// A sum or product of whole numbers from 0 to 2^30; anything else is bad. weakest: of the signs to be taken, 0 + -, 1 *
// /.
static long long value_of(struct sum *s, int weakest)
{
    long long value = weakest ? factor(s) : value_of(s, 1);

    while (!s->bad && *now(s) && strchr(weakest ? "*/" : "+-", *now(s))) {
        char sign = *now(s);

        s->at++;
        long long right = weakest ? factor(s) : value_of(s, 1);

        s->bad |= sign == '/' && right == 0;
        if (!s->bad)
            value = sign == '*'   ? value * right
                    : sign == '/' ? value / right
                    : sign == '+' ? value + right
                                  : value - right;
    }
    return value;
}

// A macro that main names is a size of the problem: as handed out, or at least ENOUGH.
static void check_size(struct check *c, const char *name, int line)
{
    int times, given_times;
    long long here, given;

    definition(&c->here, name, &times);
    definition(&c->given, name, &given_times);
    here = macro_value(&c->here, name, 0);
    given = macro_value(&c->given, name, 0);
    if (times > given_times && given_times == 0)
        refuse(c, line,
               "%s was not defined when it was handed out: main or the driver would use this one instead of their own",
               name);
    else if (times != given_times)
        refuse(c, line, "%s is defined %d times, but %d when it was handed out; it is a size of the problem", name,
               times, given_times);
    else if (times > 0 && (here < 0 || (here != given && here < ENOUGH)))
        refuse(c, line, "%s is a size of the problem: it must be %lld, as handed out, or from %d on, in plain numbers",
               name, given, ENOUGH);
}

static void check_directive(struct check *c, const struct token *t)
{
    const struct token *word = t + 1;

    if (word >= c->here.at + c->here.count || word->first)
        return;
    if (!listed(directives, word->text))
        refuse(c, t->line, "#%s has no place in an exercise", word->text);
    else if (is(word, "include"))
        check_include(c, t);
    else if (is(word, "pragma") && !listed(pragmas, word[1].text))
        refuse(c, t->line, "#pragma %s has no place in an exercise; unroll does", word[1].text);
    else if (is(word, "pragma") && is(&word[1], "GCC") && !is(&word[2], "unroll"))
        refuse(c, t->line, "#pragma GCC %s has no place in an exercise; unroll does", word[2].text);
    else if (is(word, "define") && guarded(c, word[1].text))
        check_size(c, word[1].text, t->line);
}

static void check_words(struct check *c)
{
    for (int i = 0; i < c->here.count; i++) {
        const struct token *t = &c->here.at[i];

        if (t->first && is(t, "#"))
            check_directive(c, t);
        if (is(t, "##") || is(t, "%:"))
            refuse(c, t->line, "%s builds names out of pieces; write them out", t->text);
        if (t->kind == TOKEN_STRING && (strstr(t->text, "/proc/") || strstr(t->text, "WORKBOOK_RECORD")))
            refuse(c, t->line, "%s reaches for the grader", t->text);
        if (t->kind != TOKEN_WORD)
            continue;
        check_word(c, i);
        check_definition(c, i);
        check_asm(c, i);
    }
}

// ---- the frame

static int last_of(const struct tokens *t, const char *word)
{
    int i = t->count - 1;

    while (i >= 0 && !is(&t->at[i], word))
        i--;
    return i;
}

// main is the last function, there is one, and it is as handed out, to the end of the file.
static void check_main(struct check *c)
{
    int here = last_of(&c->here, "main"), given = last_of(&c->given, "main"), count = 0;

    for (int i = 0; i < c->here.count; i++)
        count += is(&c->here.at[i], "main");
    if (count == 0)
        refuse(c, 0, "%s; `workbook reset` restores it", c->here.count == 0 ? "it is empty" : "its main is missing");
    else if (here < 1 || count != 1)
        refuse(c, c->here.at[here].line, "there are %d main, one was handed out", count);
    if (c->why)
        return;
    for (int i = -1; given + i < c->given.count || here + i < c->here.count; i++)
        if (given + i >= c->given.count || here + i >= c->here.count ||
            !is(&c->here.at[here + i], c->given.at[given + i].text)) {
            refuse(c, c->here.at[here + i < c->here.count ? here + i : here].line,
                   "main and what follows it are not as handed out: '%s', not '%s'; restore them",
                   here + i < c->here.count ? c->here.at[here + i].text : "the end of the file",
                   given + i < c->given.count ? c->given.at[given + i].text : "the end of the file");
            return;
        }
    for (int i = given; i < c->given.count; i++)
        if (c->given.at[i].kind == TOKEN_WORD)
            check_size(c, c->given.at[i].text, c->here.at[here].line);
}

// Before the headers that were handed out stands nothing but other headers.
static void check_head(struct check *c)
{
    int at = 0;

    for (int i = 0; i + 2 < c->given.count; i++) {
        if (!is(&c->given.at[i], "#") || !is(&c->given.at[i + 1], "include") || c->given.at[i + 2].kind != TOKEN_STRING)
            continue;
        while (at + 2 < c->here.count && is(&c->here.at[at], "#") && is(&c->here.at[at + 1], "include") &&
               !is(&c->here.at[at + 2], c->given.at[i + 2].text))
            for (at++; at < c->here.count && !c->here.at[at].first;)
                at++;
        if (at + 2 >= c->here.count || !is(&c->here.at[at], "#") || !is(&c->here.at[at + 1], "include")) {
            refuse(c, at < c->here.count ? c->here.at[at].line : 0,
                   "#include %s was handed out as the first line of the program; only headers may stand before it",
                   c->given.at[i + 2].text);
            return;
        }
    }
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

// The first difference outside the TODO regions, in words; comments and blanks do not count, the marker lines do.
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

// text: a submission for step; given: the starter. Returns why it is refused, NULL when it is not; *altered, to be
// freed as well, tells the first difference outside the TODO, or is NULL.
char *check_source(const struct step *step, const char *text, const char *given, char **altered)
{
    char *name = text_format("%s/%s.cu", step->chapter, step->name);
    struct check c = {.name = name, .here = tokens_of(text), .given = tokens_of(given)};

    check_main(&c);
    check_head(&c);
    check_words(&c);
    *altered = first_difference(&c, text, given);
    tokens_free(&c.here);
    tokens_free(&c.given);
    free(name);
    return c.why;
}
