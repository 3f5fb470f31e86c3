// xray_start.c: where the page of an x-ray opens.
#pragma once

#include "xray/page.h"

// From what the last run of a step printed: the first bound that was missed, and the line that did most of it. n: at
// which the step's counters are read.
void xray_start_find(const char *failure, const char *n, struct xray_start *start);
void xray_start_free(struct xray_start *start);
