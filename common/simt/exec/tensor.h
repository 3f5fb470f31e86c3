// Products of matrices, whole (tensor.c).
#pragma once

#include "decode/tensor.h"
#include "exec/machine.h"

// Elements of a matrix from the registers of a warp, and to those of the active lanes.
void tensor_gather(const struct warp *w, const struct fragment *f, const uint32_t *places, uint32_t *out);
void tensor_spread(struct warp *w, const struct fragment *f, const uint32_t *places, const uint32_t *in);

// D = A B + C with elements of up to 32 bits. Integers of A and B are widened to 32 bits by their sign.
void tensor_multiply(const struct tensor_form *f, uint32_t *a, uint32_t *b, const uint32_t *c, uint32_t *d);
