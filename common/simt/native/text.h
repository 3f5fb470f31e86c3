// Generated C of one function, block by block.
#ifndef SIMT_NATIVE_TEXT_H
#define SIMT_NATIVE_TEXT_H

#include <stdio.h>

#include "native/plan.h"

// Where text goes, and of which block; masked: for the lanes of the variable `mask` alone, not for all 32.
struct text {
    FILE *out;
    const struct plan *plan;
    bool masked;
};

// ---- lanes.c
// The loop of the steps from `first` on that are of one group. Returns the step after it.
uint32_t text_lanes(const struct text *t, uint32_t first);
// A predicate as a mask, of all lanes.
void text_bits(const struct text *t, const struct operand *o);
void text_guard_bits(const struct text *t, const struct step *s); // the lanes that pass, of all 32
// Counts the lanes that its guard lets through.
void text_count(const struct text *t, const struct step *s);
// A row in memory as a pointer to its lanes.
void text_row(const struct text *t, const struct operand *o);
uint64_t constant_of(const struct code *c, const struct operand *o);
// Writes value v to its register.
void text_flush(const struct text *t, int v);

// ---- memory.c
void text_access(const struct text *t, struct step *s);
void text_call(const struct text *t, const struct step *s);

// ---- text.c
// The whole file; false: the function is not one to be compiled.
bool text_function(FILE *out, const struct code *c);

#endif
