// findings.c: what the checks found, in what a program printed.
#pragma once

#include <stdbool.h>

bool findings_is(const char *line);       // an error or a warning of the machine
bool findings_explains(const char *line); // how to read about the one above it

// Puts the findings in output, line by line, in the order of cause and effect. Findings of one launch stand together as
// printed; of these, a barrier that is missed comes first, then races, then what may follow from both: a value that was
// never written, an index out of bounds.
void findings_order(char *output);

// The first finding in output, an error or a warning, without the words in front; to be freed. NULL: there is none.
char *findings_first(const char *output);
