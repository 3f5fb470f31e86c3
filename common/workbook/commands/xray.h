// xray.c: the page of what a block did.
#ifndef COMMANDS_XRAY_H
#define COMMANDS_XRAY_H

#include "course/course.h"

// Makes and opens the page of a step's program as it stands. Returns the exit status.
int xray_step(const struct step *step);

#endif
