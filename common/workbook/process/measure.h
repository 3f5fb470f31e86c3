// measure.c: programs of the files as they stand, and their reports.
#pragma once

#include "process/process.h"
#include <stdbool.h>

// Builds a step's program from the file as it stands; false, after the compiler's messages: it does not build.
bool build_step(const struct step *step, bool own);
// The same, but calls make only if the program is missing or was built from another text.
bool step_is_built(const struct step *step, bool own);
// Removes the objects of a step. make compares times, so it keeps an object newer than the file even if the file was
// restored, or saved during the compilation. Removing the object ensures that the program is that of the file.
void forget_objects(const struct step *step, bool own);

// Runs a program with the arguments, ended by NULL, and returns what it wrote to --json, "" for nothing; the caller
// frees it. step: its judge runs the program, without a GPU; NULL: the program runs by itself, on one. checks: "all",
// or "none" if only the counters matter: they are equal, and it takes a tenth of the time.
char *program_report(const struct step *step, const char *checks, char *program, const char *const arguments[],
                     struct outcome *outcome);

// The SIMT machine's estimate of a step's time on a GPU, never a measurement. See simt_estimate in common/simt/simt.h.
struct estimate {
    double n, ms;
    char gpu[64], limit[64];
    double limit_share, instructions, bytes, issue_rate, memory_rate;
};

// Runs a step's program, which must be built. False: no estimate.
bool step_estimate(const struct step *step, bool own, struct estimate *e);

// The n at which the steps of a chapter are compared: the largest of the course table. NULL if they differ by more than
// 16 times, since these steps solve different problems; then each step uses its own.
const char *common_n(const char *chapter);
