// tokens.c: the words of a source.
#ifndef COURSE_TOKENS_H
#define COURSE_TOKENS_H

#include <stdbool.h>

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    char *text;
    enum token_kind kind;
    int line, depth; // of braces
    bool first;      // on its line
    bool directive;  // part of one
};

struct tokens {
    struct token *at;
    int count;
};

struct tokens tokens_of(const char *source);
void tokens_free(struct tokens *t);

#endif
