// The tokens of a PTX text. A lexer returns one token after another; a token points into the text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,      // identifier with all parts that follow without a space: "ld.global.u32", "%tid.x", "_Z1kPi"
    TOKEN_DIRECTIVE, // ".reg", ".b32", ".L2::128B"
    TOKEN_INT,       // value
    TOKEN_F32,       // value: the bits of a 0f constant
    TOKEN_F64,       // value: the bits of a 0d constant or decimal number
    TOKEN_STRING,    // text without the quotes, escapes unchanged
    TOKEN_MARK,      // mark: '(' or MARK2('<', '<')
    TOKEN_BAD,       // problem describes the error
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

// The next token; at the end of the text always TOKEN_END. After TOKEN_BAD the lexer must not be used again.
struct token lexer_next(struct lexer *lexer);
