// hunt_verdict.c: is the defect gone?
#pragma once

#include "learn/hunts.h"

struct hunt_verdict {
    bool built, checked;   // checked: the part that checks the answer is as it was handed out
    int changed;           // lines that were edited, added or removed
    const char *wrong;     // the arguments of the first run with a wrong answer; NULL: all are right
    char *findings, *said; // of the machine; of the compiler, or of the wrong run; to be freed
};

struct hunt_verdict hunt_judge(const struct hunt *hunt, char *source);
bool hunt_is_found(const struct hunt *hunt, const struct hunt_verdict *verdict);
void hunt_verdict_free(struct hunt_verdict *verdict);
