// brief.c: the summary of a part that passed.
#pragma once

#include "course/course.h"
#include <stdbool.h>

// The lines of words that a student must see although the part passed: notes of the machine and of the grader, and the
// bounds that are the step's lesson. To be freed.
char *brief_lines(const struct step *step, const char *words);

// "140 runs, n up to 16777217", or of the lesson "10 of 10 bounds are met at n = 65536"; "" if words contain neither.
// To be freed.
char *brief_figures(const char *words, bool lesson);
