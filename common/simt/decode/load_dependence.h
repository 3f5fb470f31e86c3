// Which addresses come from memory: where not all blocks of a launch are executed they may be anything.
#pragma once

#include "decode/code.h"

// Does an address in this instruction depend on what its function has loaded? What goes from branch to branch does not
// count. Asked once, and kept.
bool address_is_loaded(struct origin *o);
