// What is reported when no thread makes progress.
#pragma once

#include "exec/machine.h"

// Says where every waiting lane of the block stands: there is no way on.
void report_deadlock(struct block *b, const char *why);

// Says which lanes of w run a loop forever, and what kind of loop that is.
void report_endless(struct warp *w, const struct path *p, const char *kind);
