// times.c: dates as people and systems write them.
#pragma once

#include <stdbool.h>

// Reads "2026-12-01 23:59", with seconds and a zone ("Z", "+01:00", "+0100") or without: then it is UTC, whatever the
// computer's zone. T may stand for the blank. *seconds: since 1970. False where it is not a date.
bool time_read(const char *text, double *seconds);
