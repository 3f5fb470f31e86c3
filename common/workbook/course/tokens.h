// tokens.c: the tokens of a source.
#pragma once

struct token {
    char *text;
    int line;
};

struct tokens {
    struct token *at;
    int count;
};

struct tokens tokens_of(const char *source);
void tokens_free(struct tokens *t);
