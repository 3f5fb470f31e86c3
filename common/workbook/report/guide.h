// guide.c: said by several commands.
#ifndef REPORT_GUIDE_H
#define REPORT_GUIDE_H

#include "course/course.h"

void say_next(void);
void say_page(const struct step *step); // where docs/ has the step

#endif
