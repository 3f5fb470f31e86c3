// guide.c: text that several commands print.
#pragma once

#include "course/course.h"

void print_next(void);
void print_page(const struct step *step); // the section of docs/ about the step
