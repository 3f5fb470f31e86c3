// How tensor cores sum products of floats (tensor_sum.c).
#pragma once

#include "decode/tensor.h"

#define SUM_PLACES 25 // binary places below the largest exponent that a sum keeps

struct float_format {
    uint32_t exponent, mantissa; // bits
    uint32_t unused;             // low bits of a word that are ignored
    bool no_infinity;            // the largest exponent belongs to numbers; only the NaN encoding is special
};

const struct float_format *float_format_of(enum tensor_type type);

// D = A B + C, all as bits: A by rows, B by columns, C and D by rows.
void multiply_floats(const struct tensor_form *f, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);

// The same in eight columns if the forms and all numbers are usual (tensor_columns.c). False: they are not.
bool multiply_columns(const struct tensor_form *f, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                      uint32_t *d);
