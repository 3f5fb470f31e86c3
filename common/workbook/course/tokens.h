// tokens.c: the tokens of a source.
#pragma once

#include <stdbool.h>

struct token {
    char *text;
    int line;
    bool spaced, breaks; // a blank, a comment or the begin of a line precedes it; it is the first token of a line
};

struct tokens {
    struct token *at;
    int count;
};

bool is_word_sign(char c); // of a name or a number
struct tokens tokens_of(const char *source);
void tokens_free(struct tokens *t);
