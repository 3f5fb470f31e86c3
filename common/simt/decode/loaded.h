// Which addresses come from memory: where not all blocks of a launch are executed they may be anything.
#ifndef SIMT_LOADED_H
#define SIMT_LOADED_H

#include "ptx/ptx.h"

// Does an address in instruction i of f depend on what f has loaded? What goes from branch to branch does not count.
bool address_is_loaded(const struct ptx_function *f, const struct ptx_instr *i);

#endif
