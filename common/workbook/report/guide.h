// guide.c: text that several commands print.
#pragma once

#include "course/course.h"

void say_next(void);
void say_page(const struct step *step); // where docs/ has the step
