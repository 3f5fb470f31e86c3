// Writes rows lane by lane, and reads the addresses that they hold.
#pragma once

#include "exec/machine.h"

// Writes the low `size` bytes of every value, for the lanes of w->mask.
static inline void write_row(struct warp *w, uint32_t place, uint32_t size, const uint64_t *values)
{
    FOR_LANES(l, w->mask)
    memcpy((uint8_t *)row(w, place) + (size_t)l * size, &values[l], size);
}

// Writes one value for all of them, to the row that `in` names.
static inline void write_all(struct warp *w, const struct insn *in, uint64_t value)
{
    uint64_t values[LANES];
    if (in->size == 4 && w->mask == ALL_LANES) {
        uint32_t *d = row(w, in->dst);
        for (int l = 0; l < LANES; l++)
            d[l] = (uint32_t)value;
        return;
    }
    for (int l = 0; l < LANES; l++)
        values[l] = value;
    write_row(w, in->dst, in->size, values);
}

static inline uint32_t predicate_maybe_not(struct warp *w, uint32_t place, bool negate)
{
    return negate ? ~predicate(w, place) : predicate(w, place);
}

// Addresses of all 32 lanes; those of inactive lanes are meaningless.
static inline void compute_addresses(const struct warp *w, const struct insn *in, uint64_t *addr)
{
    uint64_t offset = (uint64_t)in->imm;
    if (in->a == NONE)
        for (int l = 0; l < LANES; l++)
            addr[l] = offset;
    else if (in->order & ADDRESS_32) {
        const uint32_t *a = row(w, in->a);
        for (int l = 0; l < LANES; l++)
            addr[l] = (uint32_t)(a[l] + (uint32_t)offset);
    } else {
        const uint64_t *a = row(w, in->a);
        for (int l = 0; l < LANES; l++)
            addr[l] = a[l] + offset;
    }
}
