// Tracing, as SIMT_TRACE selects it (docs/trace.md).
#pragma once

#include "exec/machine.h"

// Called before a launch of kernel `mangled`: whether SIMT_TRACE selects it. Then the observer must be the launch's
// first, ahead of the checks, whose findings refer to it.
bool trace_wants(const char *mangled);
extern const struct observer trace_observer;

// Whether the trace contains findings of untraced launches, too: then this observer must be among those of each such
// launch.
bool trace_listens(void);
extern const struct observer trace_listener;

// A module is unloaded.
void trace_forget(const struct ptx_module *m);
