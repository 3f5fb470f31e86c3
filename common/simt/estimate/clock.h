// The virtual clock of a launch: when each warp would issue each instruction, and the launch's requests to the GPU's
// parts.
#pragma once

#include "estimate/bound.h"
#include "exec/machine.h"

// The observer; one launch at a time. `over` is called when the launch has ended.
extern const struct observer clock_observer;
typedef void clock_over(const struct launch *launch, const struct totals *t);
void clock_report_to(clock_over *over);

// Clears the L2 cache; drops a module that is unloaded.
void clock_cold(void);
void clock_forget(const struct module *m);
