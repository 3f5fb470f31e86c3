// tokens.c: the words of a source.
#ifndef COURSE_TOKENS_H
#define COURSE_TOKENS_H

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

#endif
