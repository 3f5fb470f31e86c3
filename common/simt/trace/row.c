// Encodes rows of values. A trace holds 32 values for each instruction, and most are equal or increase by a fixed step.
// A number too large for JavaScript is never part of a step.
#include "trace/row.h"

#include <inttypes.h>

#include "exec/machine.h"

// Whether the values increase from lane to lane by *step; *first: the value at lane 0.
static bool rises(uint32_t mask, const uint64_t *values, int64_t *base, int64_t *step)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask), rest = mask & (mask - 1);
    uint32_t second = rest ? (uint32_t)__builtin_ctz(rest) : first;
    if (!rest || values[first] >= EXACT || values[second] >= EXACT)
        return false;
    int64_t rise = (int64_t)(values[second] - values[first]), lanes = second - first;
    *step = rise / lanes;
    *base = (int64_t)values[first] - *step * first;
    FOR_LANES(l, mask)
    if (values[l] != (uint64_t)(*base + *step * l))
        return false;
    return *base > -(int64_t)EXACT && *base < (int64_t)EXACT;
}

static bool is_same(uint32_t mask, const uint64_t *values)
{
    uint64_t first = values[__builtin_ctz(mask)];
    FOR_LANES(l, mask)
    if (values[l] != first)
        return false;
    return true;
}

struct row row_code(row_values *store, uint32_t mask, const uint64_t *values)
{
    int64_t base, step;
    if (!mask)
        return (struct row){.kind = ROW_NONE};
    if (is_same(mask, values))
        return (struct row){.kind = ROW_SAME, .base = values[__builtin_ctz(mask)]};
    if (rises(mask, values, &base, &step))
        return (struct row){.kind = ROW_STEP, .base = (uint64_t)base, .step = step};
    struct row r = {.kind = ROW_LIST, .first = store->count};
    FOR_LANES(l, mask)
    *PUSH(*store) = values[l];
    return r;
}

uint64_t row_value(const row_values *store, const struct row *r, uint32_t mask, uint32_t l)
{
    uint32_t before = mask & ((1u << l) - 1);
    switch (r->kind) {
    case ROW_SAME: return r->base;
    case ROW_STEP: return r->base + (uint64_t)(r->step * (int64_t)l);
    case ROW_LIST: return store->at[r->first + (uint32_t)__builtin_popcount(before)];
    default: return 0;
    }
}

void number_write(FILE *to, uint64_t n)
{
    fprintf(to, n < EXACT ? "%" PRIu64 : "\"0x%" PRIx64 "\"", n);
}

void row_write(FILE *to, const row_values *store, const struct row *r, uint32_t mask)
{
    const char *before = "[";
    if (r->kind == ROW_SAME)
        number_write(to, r->base);
    else if (r->kind == ROW_STEP)
        fprintf(to, "{\"at\":%" PRId64 ",\"by\":%" PRId64 "}", (int64_t)r->base, r->step);
    else {
        FOR_LANES(l, r->kind == ROW_LIST ? mask : 0)
        {
            fputs(before, to);
            number_write(to, row_value(store, r, mask, l));
            before = ",";
        }
        fputs(*before == '[' ? "[]" : "]", to);
    }
}

uint32_t row_length(const struct row *r, uint32_t mask)
{
    return r->kind == ROW_LIST ? 11 * (uint32_t)__builtin_popcount(mask) : 24;
}
