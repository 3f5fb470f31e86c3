// Values of a warp's lanes, coded: most rows are one value, or rise by the same step from lane to
// lane.
#pragma once

#include <stdio.h>

#include "trace/vector.h"

#define EXACT (UINT64_C(1) << 53) // numbers of JSON are exact below

enum row_kind { ROW_NONE, ROW_SAME, ROW_STEP, ROW_LIST };

struct row {
    enum row_kind kind;
    uint64_t base; // ROW_STEP: of lane 0, may be below 0
    int64_t step;
    uint32_t first; // ROW_LIST: of its values, one for each lane of its mask
};

typedef VECTOR(uint64_t) row_values;

// Codes values[l] of the lanes l of mask; none: ROW_NONE.
struct row row_code(row_values *store, uint32_t mask, const uint64_t *values);

// What lane l of mask has.
uint64_t row_value(const row_values *store, const struct row *r, uint32_t mask, uint32_t l);

// Writes it as the trace file has it (docs/trace.md).
void row_write(FILE *to, const row_values *store, const struct row *r, uint32_t mask);

// About how many characters that takes.
uint32_t row_length(const struct row *r, uint32_t mask);

// A number, or what is not an exact number of JSON as "0x...".
void number_write(FILE *to, uint64_t n);
