// Whether an atomic waits for a lock.
#pragma once

#include "decode/code.h"

// Whether the atomic may run again and again with the same address, and nothing is stored meanwhile: then the thread
// waits at it for another one.
bool lock_waits(const struct origin *atomic, const struct module *m);
