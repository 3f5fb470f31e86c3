// reason.c: why a step has not passed.
#pragma once

#include "judge/progress.h"
#include "course/course.h"

// In one line, beyond what state tells: the first finding, the first missed bound, the compiler's first error. said:
// the output of the part that failed. The caller frees it; NULL: said does not tell.
char *reason_of(const struct step *step, enum state state, const char *said);
