// assignment.c: what is due.
#pragma once

#include "course/course.h"

#include <stdbool.h>

enum { ASSIGNMENT_PARTS = 3 }; // the parts of grading: result, safety, lesson

struct due {
    const struct step *step;
    double points[ASSIGNMENT_PARTS];
};

struct assignment {
    struct due *due;
    int count;
    double deadline; // seconds since 1970; 0: none
    double off;      // per cent of the points, for each day after the deadline or part of one
    int days;        // days of grace; afterwards a submission counts 0
};

// Reads a file of lines:
//
//     # a remark
//     due 2026-12-01 23:59 +01:00
//     late 10 % a day, 3 days
//     01-reduction/05-sequential  result 2  safety 1  lesson 1
//
// False after a message with file and line.
bool assignment_read(struct assignment *a, const char *path);
void assignment_free(struct assignment *a);

// The points of a step whose first `passed` parts passed, and the maximum. Without an assignment each part
// counts one point.
double assignment_points(const struct assignment *a, const struct step *step, int passed);
const struct due *assignment_due(const struct assignment *a, const struct step *step); // NULL: it is not

// The share of the points that counts, 0 to 1, for a submission at this time (0: not known); *note: a sentence, or
// NULL, which the caller frees. late: the system marks it late without saying by how much, which counts as one day.
double assignment_share(const struct assignment *a, double handed_in, bool late, char **note);
