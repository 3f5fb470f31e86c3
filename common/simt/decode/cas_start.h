// Which plain loads a loop of compare-and-swap starts from.
#pragma once

#include "ptx/ptx.h"

// A flag for every instruction of f, to be freed; NULL: no compare-and-swap in it.
bool *cas_starts(const struct ptx_function *f);
