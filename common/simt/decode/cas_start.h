// Which plain loads start a compare-and-swap loop.
#pragma once

#include "ptx/ptx.h"

// A flag for every instruction of f, which the caller frees; NULL: f has no compare-and-swap.
bool *cas_starts(const struct ptx_function *f);
