// Which clock reads affect only how long a thread sleeps.
#pragma once

#include "decode/cfg.h"

// Whether the clock value that instruction number `at` of f reads affects only sleeps, as far as f itself shows.
bool clock_is_idle(const struct ptx_function *f, const struct cfg *cfg, int at);
