// spread.c: the spread of a step's counters.
#pragma once

#include "report/marks.h"

// Draws, for each counter of the step's lesson, the values of all programs that passed, without names. reference: the
// output of the reference solution's lesson run, or NULL.
void write_spread(FILE *to, const struct class *class, const struct step *step, const char *reference);
