// The rows of decode/opcodes.def whose expressions generated code holds as text.
#ifndef SIMT_NATIVE_EXPRESSIONS_H
#define SIMT_NATIVE_EXPRESSIONS_H

#include "decode/opcodes.h"

struct expression {
    const char *text;          // of a, b, c and imm; NULL: not of this kind
    const char *d, *a, *b, *c; // types of the lanes; of a comparison d is NULL
};

// The expression of a row that a compiler turns into vector instructions; NULL: it does not, or it is no such row.
const struct expression *expression_of(uint32_t action);

#endif
