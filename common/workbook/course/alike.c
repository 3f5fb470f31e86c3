// A program as the compiler sees it, in one form. A directive keeps its line and its blanks.
#include "course/alike.h"
#include "course/tokens.h"
#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Words by which a program, or the script that compiles it, sees more than the tokens.
static const char *const revealing[] = {"__LINE__", "__builtin_LINE", "source_location", "device/nested.h", NULL};

static bool reveals(const char *source)
{
    for (int i = 0; revealing[i]; i++)
        if (strstr(source, revealing[i]))
            return true;
    return false;
}

// 1e+5 is one number, 1e + 5 is not.
static bool is_open_number(const char *token)
{
    return isdigit((unsigned char)*token) && strchr("eEpP", token[strlen(token) - 1]);
}

// Whether a blank between two tokens outside a directive may change what they mean.
static bool is_separator(const char *before, const char *after)
{
    const char *const free_sides = ";,(){}[]";

    if (strchr("\"'.", *before) || strchr("\"'.", *after) || is_open_number(before))
        return true;
    if (strchr(free_sides, *before) || strchr(free_sides, *after))
        return false;
    return is_word_sign(*before) == is_word_sign(*after);
}

// Appends the token, after a blank or a line break if one matters. *directive: whether the token is in one.
static char *append(char *to, const struct token *t, const char *before, bool *directive)
{
    bool begins = *t->text == '#', ends = *directive && t->breaks;

    if (begins || ends)
        *to++ = '\n';
    *directive = begins || (*directive && !ends);
    if (before && !ends && !begins && t->spaced && (*directive || is_separator(before, t->text)))
        *to++ = ' ';
    return stpcpy(to, t->text);
}

// A # that does not begin a directive makes text of a macro's argument. A raw string keeps its line breaks.
static bool is_special(const struct token *t)
{
    return (*t->text == '#' && !t->breaks) || strncmp(t->text, "%:", 2) == 0 ||
           (is_word_sign(*t->text) && strchr(t->text, '"'));
}

char *program_text(const char *source)
{
    struct tokens t = tokens_of(source);
    char *text = reveals(source) ? NULL : checked(calloc(3 * strlen(source) + 3, 1)), *to = text;
    bool directive = false;

    for (int i = 0; i < t.count && text; i++)
        if (is_special(&t.at[i])) {
            free(text);
            text = NULL;
        } else {
            to = append(to, &t.at[i], i ? t.at[i - 1].text : NULL, &directive);
        }
    tokens_free(&t);
    return text;
}
