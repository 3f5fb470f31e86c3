// mistakes.c: the most common mistakes of a course.
#pragma once

#include "report/marks.h"

struct mistake {
    char *words; // in the most common wording: "Race (WAR) in __shared__ memory: ..."
    int count;   // number of students
};

struct mistakes {
    struct mistake *list; // the most common first
    int count;
};

// The first line of the submission that the reason names; 0: none.
int mistake_line(const struct mark *mark);

struct mistakes mistakes_of(const struct class *class, const struct step *step);
void mistakes_free(struct mistakes *mistakes);
