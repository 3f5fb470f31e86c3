// Dates in the formats of people and systems. Marks do not depend on the computer's time zone, so it is not used.
#include "intake/times.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// The time zone's offset in seconds east of Greenwich, at the end of a date.
static int zone(const char *text)
{
    int hours, minutes;
    char sign;

    text += strspn(text, " .0123456789");
    if (sscanf(text, "%c%2d:%2d", &sign, &hours, &minutes) != 3 &&
        sscanf(text, "%c%2d%2d", &sign, &hours, &minutes) != 3)
        return 0;
    return (sign == '-' ? -1 : sign == '+' ? 1 : 0) * (hours * 3600 + minutes * 60);
}

bool time_read(const char *text, double *seconds)
{
    struct tm at = {0};
    int used = 0;

    text += strspn(text, " '\"");
    if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d%n", &at.tm_year, &at.tm_mon, &at.tm_mday, &at.tm_hour, &at.tm_min,
               &used) != 5)
        return false;
    text += used;
    if (sscanf(text, ":%2d%n", &at.tm_sec, &used) == 1)
        text += used;
    at.tm_year -= 1900;
    at.tm_mon -= 1;
    *seconds = (double)timegm(&at) - zone(text);
    return at.tm_mon >= 0 && at.tm_mon < 12 && at.tm_mday > 0 && at.tm_mday < 32;
}
