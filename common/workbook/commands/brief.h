// brief.c: the summary of a part that passed.
#pragma once

#include "course/course.h"
#include <stdbool.h>

// The lines that a student must see even if the part passed: notes of the machine and of the grader, and the bounds of
// the step's lesson. The caller frees them.
char *brief_lines(const struct step *step, const char *words);

// "140 runs, n up to 16777217", or for the lesson "10 of 10 bounds are met at n = 65536"; "" if words contain neither.
// The caller frees it.
char *brief_figures(const char *words, bool lesson);
