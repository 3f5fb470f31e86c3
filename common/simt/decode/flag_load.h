// Which registers hold data: values that a thread computes with, rather than flags that only control its branches. Also
// which loads are repeated until a flag is set.
#pragma once

#include "decode/cfg.h"

// A flag for every register of f, which the caller frees; NULL: f has no strong load.
bool *data_registers(const struct ptx_function *f);

// Whether o contains a register that holds data.
bool data_in(const struct ptx_operand *o, const bool *data);

// Whether o names a register of any set, addresses included.
bool names_any(const struct ptx_operand *o, const bool *registers);

// Whether the result of instruction number `load` decides if that instruction runs again, as far as f itself shows.
bool load_spins(const struct ptx_function *f, const struct cfg *cfg, int load);
