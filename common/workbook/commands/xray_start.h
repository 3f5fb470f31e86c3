// xray_start.c: where an x-ray page opens.
#pragma once

#include "xray/page.h"

// From the output of a step's last run: the first missed bound, and the line that contributes most to it. n: the size
// of the step's counters.
void xray_start_find(const char *failure, const char *n, struct xray_start *start);
void xray_start_free(struct xray_start *start);
