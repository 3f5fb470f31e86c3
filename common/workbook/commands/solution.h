// solution.c: access to a reference solution.
#pragma once

#include "course/course.h"
#include <stdbool.h>

// Whether the student's own program passes as it stands, or force is set; else prints what to do.
bool may_see_solution(const struct step *step, bool force);
