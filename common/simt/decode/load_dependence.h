// Which addresses come from memory: in a launch that skips blocks they may have any value.
#pragma once

#include "decode/code.h"

// Whether an address in this instruction depends on what its function has loaded. Dependence through branches does not
// count. Computed once and cached.
bool address_is_loaded(struct origin *o);
