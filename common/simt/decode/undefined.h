// Registers that a thread may read before anything has written them: local variables without a value.
#ifndef SIMT_UNDEFINED_H
#define SIMT_UNDEFINED_H

#include "decode/decode.h"

enum spread_rule {
    SPREAD_ANY,    // the result has no value if one of the sources has none
    SPREAD_ALL,    // only if none of them has one
    SPREAD_SELECT, // that of the source that the predicate in c selects
};

enum undefined_use { USE_STORED, USE_ADDRESS, USE_CONDITION, USE_OPERAND };

// Finds these registers, and those that their values reach. unwritten: per register, whether it may be read first.
void undefined_begin(struct decoder *d, const bool *unwritten);
void undefined_end(struct decoder *d);

// Before and after an instruction: emits what follows such values, if there are any.
void undefined_follow(struct decoder *d);
void undefined_follow_load(struct decoder *d);

// Of a shuffle: the list of the shadows of its result and of its value; 0: it needs none.
uint32_t undefined_shuffle(struct decoder *d);

#endif
