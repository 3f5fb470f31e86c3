// The checks that watch a launch, as observers. runtime/tasks/observers.c switches each on by its setting.
#pragma once

#include "exec/machine.h"

extern const struct observer init_check; // reads of memory that was never written (init.c)
extern const struct observer race_check; // unordered accesses (race.c)
extern const struct observer lock_check; // locks that threads take in opposite orders (lock_order.c)
extern const struct observer constant_check; // copies to constant memory that a kernel reads (streams.c)
