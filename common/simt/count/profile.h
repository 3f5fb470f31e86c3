// The profile that SIMT_PROFILE requests: what every kernel, or every launch, of the program did. Unlike simt_read's
// counters it is never reset.
#pragma once

#include <stdbool.h>

#include "exec/machine.h"
#include "simt.h"

// Called when a launch has ended.
void profile_launch(const struct launch *launch, const struct worker *workers);

// Counts that belong to no launch.
void profile_host(const struct simt_counters *more);

// For cudaProfilerStart and cudaProfilerStop: with `range` only work between them is profiled.
void profile_range(bool on);

// Called when a module is unloaded: its counts go into the records.
void profile_forget(const struct module *m);

// Called when the program has device code: its profile, if SIMT_PROFILE asks for one, is written when it ends.
void profile_expect(void);
