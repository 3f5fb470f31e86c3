// The report if no thread makes progress.
#pragma once

#include "exec/machine.h"

// Reports where every lane of the block waits: none can continue.
void report_deadlock(struct block *b, const char *why);

// Reports which lanes of w loop forever, and the kind of loop.
void report_endless(struct warp *w, const struct path *p, const char *kind);
