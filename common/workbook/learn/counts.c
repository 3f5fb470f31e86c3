// Counters of a report, and their quotients.
#include "learn/counts.h"
#include "base/json.h"

#include <stdio.h>

bool count_value(const char *json, const char *expression, double *value)
{
    char name[64], by[64];
    double divisor = 1;
    int names = sscanf(expression, "%63s / %63s", name, by);

    if (names < 1 || !json_number(json, name, value) || (names == 2 && !json_number(json, by, &divisor)) ||
        divisor == 0)
        return false;
    *value /= divisor;
    return true;
}
