// measure.c: programs' reports.
#ifndef PROCESS_MEASURE_H
#define PROCESS_MEASURE_H

#include "process/process.h"
#include <stdbool.h>

// Runs a program with the arguments, ended by NULL, and returns what it wrote to --json, "" for nothing; to be freed.
char *program_report(char *program, const char *const arguments[], bool gpu, struct outcome *outcome);

// The n at which the steps of a chapter are compared, the largest of the course table; NULL, each step at its own,
// where they differ by more than 16 times: these steps solve different problems.
const char *common_n(const char *chapter);

#endif
