// The families of instructions, whose mnemonics hold more than a row of opcodes.def can say: decode_<family>, in
// arithmetic.c, memory.c, async.c and control.c.
#ifndef SIMT_FAMILIES_H
#define SIMT_FAMILIES_H

struct decoder;
typedef void decode_function(struct decoder *d);

#define FAMILY(id, word, class, decoder) decode_function decode_##decoder;
#include "decode/opcodes.def"

#endif
