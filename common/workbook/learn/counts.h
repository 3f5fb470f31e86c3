// counts.c: the counters in a program's report.
#pragma once

#include <stdbool.h>

// The value of "COUNTER" or "COUNTER / COUNTER"; false: the report has no such counter, or the divisor is 0.
bool count_value(const char *json, const char *expression, double *value);
