// Tracing: what SIMT_TRACE asks for (docs/trace.md).
#pragma once

#include "exec/machine.h"

// The kernel `mangled` is about to be launched: does SIMT_TRACE ask for this launch? Then the
// observer must be among the launch's, as the first: before checks find something.
bool trace_wants(const char *mangled);
extern const struct observer trace_observer;

// Whether findings of launches that are not traced go into the trace, too: then this one must be
// among its observers.
bool trace_listens(void);
extern const struct observer trace_listener;

// A module is unloaded.
void trace_forget(const struct ptx_module *m);
