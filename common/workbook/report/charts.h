// charts.c: the charts of a chapter.
#pragma once

#include "report/chart.h"
#include "course/course.h"
#include <stdbool.h>

enum { CHARTS = 7 };

// Whether a step is of the chapter, has passed, was not changed since, and has its program; builds that if necessary.
bool runs_unchanged(const struct step *step, const char *chapter);

// Chart number which, 0 to CHARTS - 1, of a chapter. own: includes this tree's programs. False if it has no bar.
bool make_chart(struct chart *chart, int which, const char *chapter, bool own);
