// Elements of loads and stores: between memory and registers' rows, which may be wider.
#pragma once

#include "exec/machine.h"

// As one access, for other host threads may be writing there.
static inline uint64_t read_element(const uint8_t *from, uint32_t size)
{
    return size == 1   ? __atomic_load_n(from, __ATOMIC_RELAXED)
           : size == 2 ? __atomic_load_n((const uint16_t *)from, __ATOMIC_RELAXED)
           : size == 4 ? __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED)
                       : __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
}

// Its sign bit copied upwards, where extend says so.
static inline uint64_t extend_element(uint64_t v, uint32_t size, bool extend)
{
    uint32_t unused = 64 - 8 * size;
    return extend ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

// To lane l of row d, whose lanes have `width` bytes.
static inline void write_lane(uint8_t *d, uint32_t width, uint32_t l, uint64_t v)
{
    if (width == 4)
        ((uint32_t *)d)[l] = (uint32_t)v;
    else if (width == 8)
        ((uint64_t *)d)[l] = v;
    else
        ((uint16_t *)d)[l] = (uint16_t)v;
}

// A load in: lane l of mask finds its elements from origin + at[l] on. same: all lanes find the same ones.
void load_lanes(struct warp *w, const struct insn *in, uint32_t mask, const uint8_t *origin, const uint64_t *at,
                bool same);

// A store in, likewise.
void store_lanes(struct warp *w, const struct insn *in, uint32_t mask, uint8_t *origin, const uint64_t *at);
