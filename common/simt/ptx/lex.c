// The lexer of PTX. Read lexer_next first: it skips blanks and comments and calls one function per kind of token, by
// the first character. All look-ahead goes through peek, which returns 0 past the end.
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 64

static int peek(const struct lexer *lexer, size_t ahead)
{
    return ahead < (size_t)(lexer->end - lexer->at) ? (unsigned char)lexer->at[ahead] : 0;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_word(int c)
{
    return is_letter(c) || is_digit(c);
}

// The value of a digit up to base 16, or 16.
static unsigned digit_value(int c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

static struct token bad(struct token token, const char *problem)
{
    token.kind = TOKEN_BAD;
    token.problem = problem;
    return token;
}

void lexer_start(struct lexer *lexer, const char *text, size_t length)
{
    *lexer = (struct lexer){.at = text, .end = text + length, .line = 1};
}

// Skips the comment that starts here; false: it is unterminated.
static bool skip_comment(struct lexer *lexer)
{
    bool block = peek(lexer, 1) == '*';

    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (*lexer->at == '\n') {
            if (!block)
                return true;
            lexer->line++;
        } else if (block && *lexer->at == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return true;
        }
    }
    return !block;
}

// Skips blanks and comments; false: a comment is unterminated.
static bool skip_blanks(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        int c = *lexer->at;

        if (c == '\n')
            lexer->line++;
        if (c == ' ' || (c >= '\t' && c <= '\r'))
            lexer->at++;
        else if (c == '/' && (peek(lexer, 1) == '/' || peek(lexer, 1) == '*')) {
            if (!skip_comment(lexer))
                return false;
        } else
            break;
    }
    return true;
}

// Reads ".part" and "::part" as long as they follow without a space.
static void skip_parts(struct lexer *lexer)
{
    for (;;) {
        if (peek(lexer, 0) == '.' && is_word(peek(lexer, 1)))
            lexer->at += 1;
        else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is_word(peek(lexer, 2)))
            lexer->at += 2;
        else
            return;
        while (is_word(peek(lexer, 0)))
            lexer->at++;
    }
}

static struct token lex_name(struct lexer *lexer, struct token token)
{
    token.kind = TOKEN_NAME;
    for (lexer->at++; is_word(peek(lexer, 0)); lexer->at++)
        ;
    if (peek(lexer, 0) == '.')
        skip_parts(lexer);
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

static struct token lex_directive(struct lexer *lexer, struct token token)
{
    token.kind = TOKEN_DIRECTIVE;
    for (lexer->at++; is_word(peek(lexer, 0)); lexer->at++)
        ;
    if (peek(lexer, 0) == ':')
        skip_parts(lexer);
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a float or double.
static struct token lex_float_bits(struct lexer *lexer, struct token token, size_t digits)
{
    lexer->at += 2;
    for (size_t i = 0; i < digits; i++) {
        unsigned digit = digit_value(peek(lexer, i));

        if (digit >= 16)
            return bad(token, digits == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
        token.value = token.value << 4 | digit;
    }
    lexer->at += digits;
    token.kind = digits == 8 ? TOKEN_F32 : TOKEN_F64;
    return token;
}

static struct token lex_decimal_float(struct lexer *lexer, struct token token)
{
    char number[LONGEST_NUMBER];
    size_t length = 0;
    char *end;

    while (is_digit(peek(lexer, length)) || peek(lexer, length) == '.')
        length++;
    if (peek(lexer, length) == 'e' || peek(lexer, length) == 'E') {
        length++;
        if (peek(lexer, length) == '+' || peek(lexer, length) == '-')
            length++;
        while (is_digit(peek(lexer, length)))
            length++;
    }
    if (length >= sizeof number)
        return bad(token, "the number is too long");
    memcpy(number, lexer->at, length);
    number[length] = 0;
    double value = strtod(number, &end);

    if (*end)
        return bad(token, "not a number");
    lexer->at += length;
    token.kind = TOKEN_F64;
    memcpy(&token.value, &value, sizeof value);
    return token;
}

static struct token lex_integer(struct lexer *lexer, struct token token, unsigned base)
{
    const char *first = lexer->at;

    for (unsigned digit; (digit = digit_value(peek(lexer, 0))) < base; lexer->at++) {
        if (token.value > (UINT64_MAX - digit) / base)
            return bad(token, "the number does not fit 64 bits");
        token.value = token.value * base + digit;
    }
    if (lexer->at == first)
        return bad(token, "a number without digits");
    token.kind = TOKEN_INT;
    token.is_unsigned = token.value > INT64_MAX;
    if (peek(lexer, 0) == 'U') {
        token.is_unsigned = true;
        lexer->at++;
    }
    return token;
}

// Whether the digits that start here continue as a decimal floating-point number.
static bool is_decimal_float(const struct lexer *lexer)
{
    size_t i = 0;

    while (is_digit(peek(lexer, i)))
        i++;
    return peek(lexer, i) == '.' || peek(lexer, i) == 'e' || peek(lexer, i) == 'E';
}

static struct token lex_number(struct lexer *lexer, struct token token)
{
    int second = peek(lexer, 0) == '0' ? peek(lexer, 1) | 0x20 : 0; // in lower case

    if (second == 'f' || second == 'd')
        token = lex_float_bits(lexer, token, second == 'f' ? 8 : 16);
    else if (second == 'x' || second == 'b') {
        lexer->at += 2;
        token = lex_integer(lexer, token, second == 'x' ? 16 : 2);
    } else if (is_decimal_float(lexer))
        token = lex_decimal_float(lexer, token);
    else
        token = lex_integer(lexer, token, is_digit(second) ? 8 : 10);
    if (token.kind != TOKEN_BAD && is_word(peek(lexer, 0)))
        return bad(token, "not a number");
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

static struct token lex_string(struct lexer *lexer, struct token token)
{
    token.kind = TOKEN_STRING;
    token.text = ++lexer->at;
    while (peek(lexer, 0) != '"') {
        if (lexer->at >= lexer->end || peek(lexer, 0) == '\n')
            return bad(token, "a string without end");
        lexer->at += peek(lexer, 0) == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n' ? 2 : 1;
    }
    token.length = (size_t)(lexer->at++ - token.text);
    return token;
}

static struct token lex_mark(struct lexer *lexer, struct token token)
{
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    int first = peek(lexer, 0), second = peek(lexer, 1);

    if (first == 0 || !strchr("(){}[]<>,;:=+-*/%&|^~!?@", first))
        return bad(token, "no PTX token starts like this");
    token.kind = TOKEN_MARK;
    token.mark = first;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (first == pairs[i][0] && second == pairs[i][1])
            token.mark = MARK2(first, second);
    token.length = token.mark == first ? 1 : 2;
    lexer->at += token.length;
    return token;
}

struct token lexer_next(struct lexer *lexer)
{
    struct token token = {.kind = TOKEN_END};
    bool ended = skip_blanks(lexer);
    int c = peek(lexer, 0);

    token.line = lexer->line;
    token.text = lexer->at;
    if (!ended)
        return bad(token, "a comment without end");
    if (lexer->at >= lexer->end)
        return token;
    token.length = 1;
    if (is_letter(c) || (c == '%' && is_letter(peek(lexer, 1))))
        return lex_name(lexer, token);
    if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1))))
        return lex_number(lexer, token);
    if (c == '.' && is_letter(peek(lexer, 1)))
        return lex_directive(lexer, token);
    if (c == '"')
        return lex_string(lexer, token);
    return lex_mark(lexer, token);
}
