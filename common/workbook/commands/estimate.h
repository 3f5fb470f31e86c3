// estimate.c: one sentence about time.
#pragma once

#include "course/course.h"

// Runs a program that has passed again, and says what a GPU would take for it and for the step before. Says nothing
// of one that cannot be estimated.
void say_estimate(const struct step *step);
