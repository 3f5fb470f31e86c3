// drills.c: small questions, generated from a seed, that the machine answers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { LEVELS = 3 };

struct drill {
    char *question; // in words, with its code
    char *program;  // prints "answer: NUMBER", or the machine's findings are the answer
    char *arch;    // the virtual architecture it is compiled for
    bool by_race;
};

struct answer {
    long number;
    char *why; // what the program or the machine printed about it
};

const char *topic_name(int topic);
int topic_find(const char *name); // -1 after a message

struct drill drill_make(int topic, uint64_t seed, int level);        // level: from 1 to LEVELS
bool drill_answer(const struct drill *drill, struct answer *answer); // false after a message: no answer
void drill_free(struct drill *drill);
