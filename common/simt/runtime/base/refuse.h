// A call that the machine does not support. Needs no CUDA header: api/refused.c must not see CUDA's prototypes.
#pragma once

// Reports once that the call is not supported, and what to do instead; returns cudaErrorNotSupported.
int refuse_call(const char *name, const char *instead);
