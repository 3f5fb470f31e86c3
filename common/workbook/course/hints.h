// hints.c: the hints of a step.
#pragma once

#include "course/course.h"

// The step's hints: the first aimed one that fits the output, or NULL, and the general ones.
struct hints {
    char *aimed, **general;
    int count;
};

// said: what the part that failed printed. To be freed with hints_free.
struct hints hints_of(const struct step *step, const char *said);
void hints_free(struct hints *hints);
