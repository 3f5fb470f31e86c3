// The tokens of an exercise file as the compiler sees them: lines joined at a backslash, without comments and blanks.
#include "course/tokens.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *at;   // with joined lines
    int *lines; // the source line of every character
};

static struct text join_lines(const char *source)
{
    size_t length = strlen(source), to = 0;
    struct text text = {checked(malloc(length + 2)), checked(calloc(length + 2, sizeof(int)))};
    int line = 1;

    for (size_t i = 0; i < length; i++) {
        size_t blanks = source[i] == '\\' ? strspn(source + i + 1, " \t\r") : 0;

        if (source[i] == '\\' && source[i + 1 + blanks] == '\n') {
            line++;
            i += 1 + blanks;
            continue;
        }
        text.lines[to] = line;
        text.at[to++] = source[i];
        line += source[i] == '\n';
    }
    text.at[to] = 0;
    text.lines[to] = line;
    return text;
}

// The end of R"x( ... )x" whose quote is here.
static const char *raw_end(const char *quote)
{
    char close[24];
    size_t length = strcspn(quote + 1, "(");
    const char *end;

    if (length > 16)
        return quote + strlen(quote);
    snprintf(close, sizeof close, ")%.*s\"", (int)length, quote + 1);
    end = strstr(quote, close);
    return end ? end + strlen(close) : quote + strlen(quote);
}

static const char *quoted_end(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

bool is_word_sign(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static const char *token_end(const char *at)
{
    const char *end = at + 1;

    if (isdigit((unsigned char)*at)) {
        while (is_word_sign(*end) || *end == '.' || (*end == '\'' && is_word_sign(end[1])))
            end++;
    } else if (is_word_sign(*at)) {
        while (is_word_sign(*end))
            end++;
        if (*end == '"' && end[-1] == 'R' && end - at <= 3)
            end = raw_end(end);
    } else if (*at == '"' || *at == '\'') {
        end = quoted_end(at);
    } else if ((at[0] == '#' && at[1] == '#') || (at[0] == '%' && at[1] == ':')) {
        end++;
    }
    return end;
}

// *breaks: whether a line ends there.
static const char *skip_blanks_and_comments(const char *at, bool *breaks)
{
    for (*breaks = false;;) {
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end ? end + 2 : at + strlen(at);
        } else if (isspace((unsigned char)*at)) {
            *breaks |= *at++ == '\n';
        } else {
            return at;
        }
    }
}

struct tokens tokens_of(const char *source)
{
    int mark = strncmp(source, "\xef\xbb\xbf", 3) == 0; // a UTF-8 byte order mark, which editors on Windows write
    struct text text = join_lines(source + (mark ? 3 : 0));
    struct tokens t = {.at = checked(calloc(strlen(text.at) + 1, sizeof *t.at))};
    bool breaks;

    for (const char *at = skip_blanks_and_comments(text.at, &breaks), *last = text.at, *end; *at;) {
        end = token_end(at);
        t.at[t.count++] = (struct token){text_format("%.*s", (int)(end - at), at), text.lines[at - text.at], at > last,
                                         breaks || t.count == 0};
        last = end;
        at = skip_blanks_and_comments(end, &breaks);
    }
    free(text.at);
    free(text.lines);
    return t;
}

void tokens_free(struct tokens *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->at[i].text);
    free(t->at);
}
