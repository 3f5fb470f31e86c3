// Encoded values of a warp's lanes: most rows are one value, or increase by a fixed step from lane to lane.
#pragma once

#include <stdio.h>

#include "trace/vector.h"

#define EXACT (UINT64_C(1) << 53) // JSON numbers below this are exact

enum row_kind { ROW_NONE, ROW_SAME, ROW_STEP, ROW_LIST };

struct row {
    enum row_kind kind;
    uint64_t base; // ROW_STEP: value at lane 0, may be negative
    int64_t step;
    uint32_t first; // ROW_LIST: index of its values, one for each lane of its mask
};

typedef VECTOR(uint64_t) row_values;

// Encodes values[l] of the lanes l of mask; an empty mask: ROW_NONE.
struct row row_code(row_values *store, uint32_t mask, const uint64_t *values);

// The value of lane l of mask.
uint64_t row_value(const row_values *store, const struct row *r, uint32_t mask, uint32_t l);

// Writes a row in the trace file's format (docs/trace.md).
void row_write(FILE *to, const row_values *store, const struct row *r, uint32_t mask);

// The approximate number of characters that this takes.
uint32_t row_length(const struct row *r, uint32_t mask);

// Writes a number, as "0x..." if JSON cannot represent it exactly.
void number_write(FILE *to, uint64_t n);
