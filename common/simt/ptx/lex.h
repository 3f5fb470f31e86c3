// The words of a PTX text. A lexer hands out one token after another; a token points into the text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,      // identifier with all parts that follow without a space: "ld.global.u32", "%tid.x", "_Z1kPi"
    TOKEN_DIRECTIVE, // ".reg", ".b32", ".L2::128B"
    TOKEN_INT,       // value
    TOKEN_F32,       // value: the bits that 0f gave
    TOKEN_F64,       // value: the bits that 0d gave, or of a decimal number
    TOKEN_STRING,    // text without the quotes, escapes as they stand
    TOKEN_MARK,      // mark: '(' or MARK2('<', '<')
    TOKEN_BAD,       // problem says what is wrong
};

#define MARK2(a, b) ((a) << 8 | (b))

struct token {
    enum token_kind kind;
    int line;
    int mark;
    bool is_unsigned; // TOKEN_INT with the suffix U, or too large for a signed number
    uint64_t value;
    const char *text;
    size_t length;
    const char *problem;
};

struct lexer {
    const char *at, *end;
    int line;
};

// Starts at line 1 of length bytes of text.
void lexer_start(struct lexer *lexer, const char *text, size_t length);

// The next token. At the end, and after that, TOKEN_END. After TOKEN_BAD the lexer must not be used further.
struct token lexer_next(struct lexer *lexer);
