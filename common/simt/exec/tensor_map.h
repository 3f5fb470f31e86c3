// Tensor maps: what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col write into their 128 bytes, and what copies of
// tensors read there. NVIDIA does not publish its format; programs must not look inside.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TENSOR_MAP_BYTES 128
#define TENSOR_MAP_RANKS 5
#define TENSOR_MAP_MARK UINT64_C(0x6d726f736e6574) // "tensorm"

// Element types, numbered as in CUtensorMapDataType. tensormap.replace numbers them differently from f64 on: f32.ftz
// comes before f64.
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES,
};

struct tensor_map {
    uint64_t mark;   // TENSOR_MAP_MARK
    uint64_t unused; // CUTLASS clears bit 21 of this word, whatever is in it, unless the driver is newer than 13.1
    uint64_t address;
    uint64_t stride[TENSOR_MAP_RANKS];  // bytes from one element to the next of each dimension; of the first its size
    uint32_t last[TENSOR_MAP_RANKS];    // index of the last element of each dimension
    uint16_t box[TENSOR_MAP_RANKS];     // of im2col: channels of a pixel, pixels
    uint8_t step[TENSOR_MAP_RANKS];     // of the first dimension it has no effect
    uint8_t type, rank, swizzle;        // swizzle: 0, or 1 to 3 for spans of 32, 64 and 128 bytes
    uint8_t interleave;                 // 1, 2: the first dimension counts slices of 16 or 32 bytes, not elements
    uint8_t nan;                        // NaN out of bounds, not zero
    uint8_t columns;                    // im2col
    int16_t low[TENSOR_MAP_RANKS - 2];  // im2col: the first pixel of each dimension but those of channels and images,
    int16_t high[TENSOR_MAP_RANKS - 2]; // and the last one, from the last of the tensor
};

uint32_t tensor_type_size(enum tensor_type type); // bytes of an element; 0: no such type

// Bytes from one index of the first dimension to the next.
static inline uint32_t tensor_map_unit(const struct tensor_map *m)
{
    return m->interleave ? 8u << m->interleave : tensor_type_size((enum tensor_type)m->type);
}

// Whether a copy can use the map: it meets all requirements of the function that encodes it. If it does not, *why names
// the rule that it violates.
bool tensor_map_valid(const struct tensor_map *m, char *why, size_t why_size);

// Elements of its box along dimension d. The last but one of an interleaved tensor counts slices of channels, of which
// a copy takes one, whatever the box says (an H200).
static inline uint32_t tensor_map_steps(const struct tensor_map *m, uint32_t d)
{
    return m->interleave && d + 2 == m->rank ? 1 : ((uint32_t)m->box[d] + m->step[d] - 1) / m->step[d];
}

// Bytes of a row of the box, and the distance of its rows in shared memory.
static inline uint32_t tensor_map_row(const struct tensor_map *m)
{
    return m->box[0] * tensor_map_unit(m);
}

static inline uint32_t tensor_map_pitch(const struct tensor_map *m)
{
    return m->swizzle && !m->interleave ? 16u << m->swizzle : tensor_map_row(m);
}
