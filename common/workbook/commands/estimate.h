// estimate.c: one line about time.
#pragma once

#include "course/course.h"

// Runs a passed program again, and prints the estimated GPU time of it and of the previous step. Prints nothing if the
// program cannot be estimated.
void say_estimate(const struct step *step);
