// results.c: results of one or of many students.
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include "course/course.h"
#include <stdbool.h>
#include <stdio.h>

struct result {
    char *student;
    const struct step *step;
    int exit;      // 0 passed, 77 skipped
    char *verdict; // in words
};

struct results {
    struct result *list;
    int count;
    bool own; // of this tree, whose programs can be run
};

void results_add(struct results *results, char *student, const struct step *step, int exit, char *verdict);
void results_free(struct results *results);
bool results_read(struct results *results, const char *path); // false after a message
void results_json(FILE *file, const struct results *results);
void results_junit(FILE *file, const struct results *results);

#endif
