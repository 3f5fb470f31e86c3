// How tensor cores sum products of floats (tensor_sum.c).
#pragma once

#include "decode/tensor.h"

// D = A B + C, all as bits: A by rows, B by columns, C and D by rows.
void multiply_floats(const struct tensor_form *f, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d);
