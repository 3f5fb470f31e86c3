// measure.c: programs of the files as they stand, and their reports.
#pragma once

#include "process/process.h"
#include <stdbool.h>

// Builds a step's program from the file as it stands; false, after the compiler's words: it does not build.
bool build_step(const struct step *step, bool own);
// The same, but calls make only if the program is missing or was built from another text.
bool step_is_built(const struct step *step, bool own);
// Removes the objects of a step. make compares times: it keeps an object that is newer than the file, also where the
// file was moved back, or saved while it was compiled. Without its object a program is always that of the file.
void forget_objects(const struct step *step, bool own);

// Runs a program with the arguments, ended by NULL, and returns what it wrote to --json, "" for nothing; to be freed.
// step: its judge runs the program, without a GPU; NULL: the program runs by itself, on one. checks: "all", or "none"
// where the counters alone are looked at: they are equal, and it takes a tenth of the time.
char *program_report(const struct step *step, const char *checks, char *program, const char *const arguments[],
                     struct outcome *outcome);

// How long a GPU would take for a step's program, as the SIMT machine estimates: never a measurement. See
// simt_estimate in common/simt/simt.h.
struct estimate {
    double n, ms;
    char gpu[64], limit[64];
    double limit_share, instructions, bytes, issue_rate, memory_rate;
};

// Runs a step's program, which must be built. False: there is no estimate of it.
bool step_estimate(const struct step *step, bool own, struct estimate *e);

// The n at which the steps of a chapter are compared, the largest of the course table; NULL, each step at its own,
// where they differ by more than 16 times: these steps solve different problems.
const char *common_n(const char *chapter);
