// Which reads of a clock change nothing but how long a thread sleeps.
#pragma once

#include "decode/cfg.h"

// Whether what instruction number `at` of f reads from a clock reaches nothing but sleeps, as far as f itself shows.
bool clock_is_idle(const struct ptx_function *f, const struct cfg *cfg, int at);
