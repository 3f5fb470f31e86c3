// Loads and stores of lanes that are not contiguous: one loop for each size, so that the size is no branch inside it.
#include "exec/element.h"

// Moves one element of every lane of mask between memory and a row whose lanes are as wide as the element.
#define ELEMENTS(bits) \
    static inline void load_##bits(uint##bits##_t *d, uint32_t mask, const uint8_t *origin, const uint64_t *at) \
    { \
        if (mask == ALL_LANES) \
            for (int l = 0; l < LANES; l++) \
                d[l] = (uint##bits##_t)read_element(origin + at[l], bits / 8); \
        else \
            FOR_LANES(l, mask) \
        d[l] = (uint##bits##_t)read_element(origin + at[l], bits / 8); \
    } \
    static inline void fill_##bits(uint##bits##_t *d, uint64_t v) \
    { \
        for (int l = 0; l < LANES; l++) \
            d[l] = (uint##bits##_t)v; \
    } \
    static inline void store_##bits(const uint##bits##_t *s, uint32_t mask, uint8_t *origin, const uint64_t *at) \
    { \
        FOR_LANES(l, mask) \
        __atomic_store_n((uint##bits##_t *)(origin + at[l]), s[l], __ATOMIC_RELAXED); \
    }
ELEMENTS(16)
ELEMENTS(32)
ELEMENTS(64)

// The same for elements narrower than the lanes of the row.
static void load_narrow(const struct insn *in, uint8_t *d, uint32_t mask, const uint8_t *origin, const uint64_t *at)
{
    uint32_t width = in->sub & 0x7f;
    FOR_LANES(l, mask)
    write_lane(d, width, l, extend_element(read_element(origin + at[l], in->size), in->size, in->sub & 0x80));
}

static void store_narrow(const struct insn *in, const uint8_t *s, uint32_t mask, uint8_t *origin, const uint64_t *at)
{
    FOR_LANES(l, mask)
    memcpy(origin + at[l], s + l * in->sub, in->size);
}

// The element's size if it is as wide as the lanes of its row; else 0.
static inline uint32_t plain_size(const struct insn *in)
{
    return (in->sub & 0x7f) == in->size ? in->size : 0;
}

static void load_same(const struct insn *in, void *d, const uint8_t *from)
{
    uint64_t v = extend_element(read_element(from, in->size), in->size, in->sub & 0x80);
    switch (in->sub & 0x7f) {
    case 4: fill_32(d, v); break;
    case 8: fill_64(d, v); break;
    default: fill_16(d, v);
    }
}

void load_lanes(struct warp *w, const struct insn *in, uint32_t mask, const uint8_t *origin, const uint64_t *at,
                bool same)
{
    const uint32_t *places = in->count > 1 ? w->path->frame->code->lists + in->target : &in->dst;
    uint32_t size = plain_size(in);
    for (uint32_t k = 0; k < in->count; k++, origin += in->size) {
        void *d = register_row(w, places[k]);
        if (same && mask == ALL_LANES)
            load_same(in, d, origin + at[0]);
        else if (size == 4)
            load_32(d, mask, origin, at);
        else if (size == 8)
            load_64(d, mask, origin, at);
        else if (size == 2)
            load_16(d, mask, origin, at);
        else
            load_narrow(in, d, mask, origin, at);
    }
}

void store_lanes(struct warp *w, const struct insn *in, uint32_t mask, uint8_t *origin, const uint64_t *at)
{
    const uint32_t *places = in->count > 1 ? w->path->frame->code->lists + in->target : &in->b;
    uint32_t size = plain_size(in);
    for (uint32_t k = 0; k < in->count; k++, origin += in->size) {
        const void *s = row(w, places[k]);
        if (size == 4)
            store_32(s, mask, origin, at);
        else if (size == 8)
            store_64(s, mask, origin, at);
        else if (size == 2)
            store_16(s, mask, origin, at);
        else
            store_narrow(in, s, mask, origin, at);
    }
}
