// xray.c: the page about what a block did.
#pragma once

#include "course/course.h"

// Makes and opens the page of a step's program as it stands. Returns the exit status.
int xray_step(const struct step *step);
