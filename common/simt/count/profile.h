// The profile that SIMT_PROFILE asks for: what every kernel, or every launch, of the program did. Unlike simt_read's
// counters it is never reset.
#pragma once

#include <stdbool.h>

#include "exec/machine.h"
#include "simt.h"

// A launch has ended.
void profile_launch(const struct launch *launch, const struct worker *workers);

// What belongs to no launch.
void profile_host(const struct simt_counters *more);

// cudaProfilerStart, cudaProfilerStop: with `range` only work between them is profiled.
void profile_range(bool on);

// A module is unloaded: its counts go into the records.
void profile_forget(const struct module *m);

// The program has device code: its profile, if one is asked for, is written at its end.
void profile_expect(void);
