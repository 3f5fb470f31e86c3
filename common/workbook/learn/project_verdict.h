// project_verdict.c: the machine's verdict on a file that solves a project, or tries to.
#pragma once

#include "learn/projects.h"

#include <stdbool.h>

struct project_bound_result {
    double counted;
    bool met;
};

struct project_verdict {
    bool included, built;
    char *said;                          // of the compiler, or of the first run that was not right
    char *findings;                      // of the machine, NULL for none
    const char *wrong;                   // the first input with a wrong answer, NULL for none
    struct project_bound_result *bounds; // one for each of the project's; NULL: not reached
    int level;                           // 0: wrong or unsafe
};

struct project_verdict project_judge(const struct project *project, char *source);
void project_verdict_free(struct project_verdict *verdict);
