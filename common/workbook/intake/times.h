// times.c: dates in the formats of people and systems.
#pragma once

#include <stdbool.h>

// Parses "2026-12-01 23:59", with or without seconds and a time zone ("Z", "+01:00", "+0100"); without one it is UTC,
// whatever the computer's zone. T may replace the blank. *seconds: since 1970. False if it is not a date.
bool time_read(const char *text, double *seconds);
