// results.c: results of one or of many students.
#pragma once

#include "course/course.h"
#include <stdbool.h>
#include <stdio.h>

struct result {
    char *student;
    const struct step *step;
    int exit;      // 0 passed, 77 skipped
    char *verdict; // in words
    char *why;     // why it has not passed, in one line; "" if nothing more is known
};

struct results {
    struct result *list;
    int count;
    bool own;      // of this tree, whose programs can be run
    bool estimate; // draw the estimated GPU times
};

void results_add(struct results *results, struct result result); // takes the texts, which results_free frees
void results_free(struct results *results);
bool results_read(struct results *results, const char *path); // false after a message
void results_json(FILE *file, const struct results *results);
void results_junit(FILE *file, const struct results *results);
