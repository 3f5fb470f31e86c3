// Which plain loads a loop of compare-and-swap starts from.
#ifndef SIMT_CAS_START_H
#define SIMT_CAS_START_H

#include "ptx/ptx.h"

// A flag for every instruction of f, to be freed; NULL: no compare-and-swap in it.
bool *cas_starts(const struct ptx_function *f);

#endif
