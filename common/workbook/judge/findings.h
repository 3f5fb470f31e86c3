// findings.c: the findings in a program's output.
#pragma once

#include <stdbool.h>

bool findings_is(const char *line);       // whether it is an error or a warning of the machine
bool findings_explains(const char *line); // whether it says how to read about the one above it

// Sorts the findings in output, line by line, by cause and effect. Findings of one launch stay together. Among these, a
// missed barrier comes first, then races, then their possible effects: an uninitialised value, an index out of bounds.
void findings_order(char *output);

// The first finding in output, an error or a warning, without its prefix; the caller frees it. NULL: none.
char *findings_first(const char *output);
