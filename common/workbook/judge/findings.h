// findings.c: the findings in a program's output.
#pragma once

#include <stdbool.h>

bool findings_is(const char *line);       // whether it is an error or a warning of the machine
bool findings_explains(const char *line); // whether it says how to read about the one above it

// Sorts the findings in output, line by line, by cause and effect. Findings of one launch stay together. Among these, a
// missed barrier comes first, then races, then their possible effects: an uninitialised value, an index out of bounds.
void findings_order(char *output);

// The end of the findings that begin at line, which is one, with their explanations.
const char *findings_end(const char *line);

// The first finding of each kind in output, in the order of cause and effect, unless before has the line. A kind is
// the word after "simt: error: ". Each line begins with indent; the caller frees it. later: gets those that follow a
// line that before has; NULL: there is no need to tell them apart.
char *findings_list(char *output, const char *before, const char *indent, char **later);

// The first finding in output, an error or a warning, without its prefix; the caller frees it. NULL: none.
char *findings_first(const char *output);
