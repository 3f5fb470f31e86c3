// Compiled kernels: a function that runs often is written as C, compiled by the host's C compiler while the machine
// goes on interpreting it, and loaded. It does the same arithmetic from the same table (decode/opcodes.def).
//
// Nothing here runs a kernel: exec/ calls what is ready where nobody observes what the instructions do.
#ifndef SIMT_NATIVE_H
#define SIMT_NATIVE_H

#include <stdatomic.h>

#include "decode/code.h"
#include "native/face.h"

typedef _Atomic(native_function *) native_slot;

// Where the compiled form of a kernel will be, NULL until it is there. wait: it is compiled now.
native_slot *native_open(struct code *c, bool wait);

// n more instructions of warps were interpreted: asks for it, or looks whether it is there.
void native_warm(struct code *c, uint64_t n);

#endif
