// Counters: what a launch did, added up per instruction of its module.
#ifndef SIMT_COUNT_H
#define SIMT_COUNT_H

#include "machine.h"

// Adds the workers' counts of a finished launch to the totals.
void count_launch(const struct launch *launch, const struct worker *workers);

// Counts a copy between host and device.
void count_copy(bool from_host, bool to_host);

// Forgets the totals of a module that goes away.
void count_forget(const struct module *m);

#endif
