// Moves elements between memory and rows of registers, which may be wider.
#pragma once

#include "exec/machine.h"

// Reads an element in one access, since other host threads may be writing there.
static inline uint64_t read_element(const uint8_t *from, uint32_t size)
{
    return size == 1   ? __atomic_load_n(from, __ATOMIC_RELAXED)
           : size == 2 ? __atomic_load_n((const uint16_t *)from, __ATOMIC_RELAXED)
           : size == 4 ? __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED)
                       : __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
}

// Sign-extends the element if `extend` is set.
static inline uint64_t extend_element(uint64_t v, uint32_t size, bool extend)
{
    uint32_t unused = 64 - 8 * size;
    return extend ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

// Writes to lane l of row d, whose lanes have `width` bytes.
static inline void write_lane(uint8_t *d, uint32_t width, uint32_t l, uint64_t v)
{
    if (width == 4)
        ((uint32_t *)d)[l] = (uint32_t)v;
    else if (width == 8)
        ((uint64_t *)d)[l] = v;
    else
        ((uint16_t *)d)[l] = (uint16_t)v;
}

// Performs load `in`: the elements of lane l of mask begin at origin + at[l]. same: all lanes read the same elements.
void load_lanes(struct warp *w, const struct insn *in, uint32_t mask, const uint8_t *origin, const uint64_t *at,
                bool same);

// Performs store `in`, likewise.
void store_lanes(struct warp *w, const struct insn *in, uint32_t mask, uint8_t *origin, const uint64_t *at);
