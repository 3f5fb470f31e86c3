// Which registers hold data: values that a thread works with, beside those that only tell it where to go on.
#ifndef SIMT_FLAG_LOAD_H
#define SIMT_FLAG_LOAD_H

#include "ptx/ptx.h"

// A flag for every register of f, to be freed; NULL: no volatile load in it.
bool *data_registers(const struct ptx_function *f);

// Whether a register that o names is one of them.
bool data_in(const struct ptx_operand *o, const bool *data);

#endif
