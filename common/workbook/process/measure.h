// measure.c: programs' reports.
#ifndef PROCESS_MEASURE_H
#define PROCESS_MEASURE_H

#include "process/process.h"
#include <stdbool.h>

// Builds a step's program; false, after the compiler's words: it does not build.
bool build_step(const struct step *step, bool own);

// Runs a program with the arguments, ended by NULL, and returns what it wrote to --json, "" for nothing; to be freed.
// step: its judge runs the program, without a GPU; NULL: the program runs by itself, on one.
char *program_report(const struct step *step, char *program, const char *const arguments[], struct outcome *outcome);

// The n at which the steps of a chapter are compared, the largest of the course table; NULL, each step at its own,
// where they differ by more than 16 times: these steps solve different problems.
const char *common_n(const char *chapter);

#endif
