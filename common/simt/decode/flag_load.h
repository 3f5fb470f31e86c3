// Which registers hold data: values that a thread works with, rather than flags that only steer its branches. And which
// loads are repeated until a flag is set.
#pragma once

#include "decode/cfg.h"

// A flag for every register of f, to be freed; NULL: no strong load in it.
bool *data_registers(const struct ptx_function *f);

// Whether a register that o names is one of them.
bool data_in(const struct ptx_operand *o, const bool *data);

// The same for any set of registers, addresses included.
bool names_any(const struct ptx_operand *o, const bool *registers);

// Whether the result of instruction number `load` decides if it runs again, as far as f itself shows.
bool load_spins(const struct ptx_function *f, const struct cfg *cfg, int load);
