// Which addresses come from memory: in a launch that skips blocks they may have any value.
#pragma once

#include "decode/code.h"

// Whether an address in this instruction depends on what its function has loaded. Dependence through branches does not
// count. Computed once and cached.
bool address_is_loaded(struct origin *o);

// Whether it depends on more than tickets, which atomics count up by one, also through a shared variable of its own.
bool address_is_unknown(struct origin *o);
