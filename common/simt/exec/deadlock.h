// The report if no thread makes progress.
#pragma once

#include "exec/machine.h"

// No lane of the block can continue: reports where each one waits.
void report_deadlock(struct block *b, const char *why);

// Reports which lanes of w loop forever, and the kind of loop.
void report_endless(struct warp *w, const struct path *p, const char *kind);
