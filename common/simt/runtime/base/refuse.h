// A call that the machine does not have. No CUDA header is needed: api/refused.c must not see CUDA's prototypes.
#pragma once

// Reports once that the call is not supported, and what to do instead; returns cudaErrorNotSupported.
int refuse_call(const char *name, const char *instead);
