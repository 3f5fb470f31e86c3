// reason.c: why a step has not passed.
#pragma once

#include "judge/progress.h"
#include "course/course.h"

// In a line, as far as state does not say it: the first finding, the first bound that was not met, the compiler's
// first error. said: what the part that failed printed. To be freed; NULL: said does not tell.
char *reason_of(const struct step *step, enum state state, const char *said);
