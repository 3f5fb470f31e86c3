// hunt_verdict.c: is the defect fixed?
#pragma once

#include "learn/hunts.h"

struct hunt_verdict {
    bool built, checked;   // checked: the checking part is as it was handed out
    bool kept;             // the words that stay are there
    int changed;           // lines edited, added or removed
    const char *wrong;     // the arguments of the first run with a wrong answer; NULL: all are right
    const char *order;     // of the blocks and warps in that run
    char *findings, *said; // the machine's; the compiler's, or the wrong run's; to be freed
};

struct hunt_verdict hunt_judge(const struct hunt *hunt, char *source);
bool hunt_is_found(const struct hunt *hunt, const struct hunt_verdict *verdict);
void hunt_verdict_free(struct hunt_verdict *verdict);
