// spread.c: where the counters of a step lie.
#pragma once

#include "report/marks.h"

// Draws, for each counter of the step's lesson, what the programs of all who passed have, without names. reference:
// what the reference solution's run for the lesson printed, or NULL.
void write_spread(FILE *to, const struct class *class, const struct step *step, const char *reference);
