// mistakes.c: what a course got wrong most often.
#pragma once

#include "report/marks.h"

struct mistake {
    char *words; // as most of them have it: "Race (WAR) in __shared__ memory: no barrier between line 31 and line 33"
    int count;   // of students
};

struct mistakes {
    struct mistake *list; // the commonest first
    int count;
};

// The first line of the submission in the reason; 0: none.
int mistake_line(const struct mark *mark);

struct mistakes mistakes_of(const struct class *class, const struct step *step);
void mistakes_free(struct mistakes *mistakes);
