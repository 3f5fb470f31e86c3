// solution.c: who may see a reference solution.
#pragma once

#include "course/course.h"
#include <stdbool.h>

// Whether the student's own program passes, as it stands, or force; else says what to do.
bool may_see_solution(const struct step *step, bool force);
