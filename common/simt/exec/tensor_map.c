// Which values a tensor map may hold (CUDA driver API: cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col).
#include "exec/tensor_map.h"

#include <stdio.h>

#define MAX_BOX 256
#define MAX_PIXELS 1024
#define MAX_TILE_BYTES (228 * 1024) // the shared memory of a multiprocessor (an H200)
#define MOST_STEP 8
#define STRIDE_LIMIT (UINT64_C(1) << 40)

uint32_t tensor_type_size(enum tensor_type type)
{
    static const uint8_t sizes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < TENSOR_TYPES ? sizes[type] : 0;
}

static bool tensor_type_is_float(enum tensor_type type)
{
    return type >= TENSOR_F16 && type < TENSOR_TYPES;
}

#define NEEDS(holds, ...) \
    if (!(holds)) { \
        snprintf(why, why_size, __VA_ARGS__); \
        return false; \
    }

static bool dimension_valid(const struct tensor_map *m, uint32_t d, char *why, size_t why_size)
{
    unsigned box = m->box[d], step = m->step[d];
    NEEDS(m->columns || (box && box <= MAX_BOX), "boxDim[%u] is %u; it must be 1 to %d", d, box, MAX_BOX)
    NEEDS(step && step <= MOST_STEP, "elementStrides[%u] is %u; it must be 1 to %d", d, step, MOST_STEP)
    if (!d)
        return true;
    NEEDS(m->stride[d] % 16 == 0, "globalStrides[%u] is %llu bytes, not a multiple of 16", d - 1,
          (unsigned long long)m->stride[d])
    NEEDS(m->interleave < 2 || m->stride[d] % 32 == 0,
          "globalStrides[%u] is %llu bytes; with slices of 32 bytes it must be a multiple of 32", d - 1,
          (unsigned long long)m->stride[d])
    NEEDS(m->stride[d] < STRIDE_LIMIT, "globalStrides[%u] is %llu bytes; it must be less than 2^40", d - 1,
          (unsigned long long)m->stride[d])
    return true;
}

static bool row_valid(const struct tensor_map *m, char *why, size_t why_size)
{
    unsigned row = tensor_map_row(m), span = 16u << m->swizzle;
    NEEDS(row % 16 == 0, "%s has %u bytes (%s), not a multiple of 16", m->columns ? "a pixel" : "a row of the box", row,
          m->columns ? "channelsPerPixel elements" : "boxDim[0] elements")
    NEEDS(!m->swizzle || m->interleave || row <= span, "%s has %u bytes, more than the %u of the swizzle",
          m->columns ? "a pixel" : "a row of the box", row, span)
    return true;
}

// im2col: a signed number of 16, 8 or 5 bits for each corner, depending on the rank; at least one pixel.
static bool corners_valid(const struct tensor_map *m, char *why, size_t why_size)
{
    static const int ranges[] = {32768, 128, 16};
    NEEDS(m->rank >= 3, "im2col takes a tensorRank of 3 to 5, not %u", m->rank)
    NEEDS(m->box[0] && m->box[0] <= MAX_BOX, "channelsPerPixel is %u; it must be 1 to %d", m->box[0], MAX_BOX)
    NEEDS(m->box[1] && m->box[1] <= MAX_PIXELS, "pixelsPerColumn is %u; it must be 1 to %d", m->box[1], MAX_PIXELS)
    for (uint32_t k = 0; k + 2 < m->rank; k++) {
        int range = ranges[m->rank - 3], low = m->low[k], high = m->high[k];
        NEEDS(low >= -range && low < range && high >= -range && high < range,
              "the corners of dimension %u are %d and %d; for a tensorRank of %u they must be %d to %d", k + 1, low,
              high, m->rank, -range, range - 1)
        NEEDS(low <= (int64_t)m->last[k + 1] + high, "the corners of dimension %u are %d and %d: no pixel lies between",
              k + 1, low, high)
    }
    return true;
}

static bool tile_valid(const struct tensor_map *m, char *why, size_t why_size)
{
    uint64_t bytes = tensor_map_row(m);
    for (uint32_t d = 1; d < (m->columns ? 2 : m->rank); d++)
        bytes *= m->columns ? m->box[1] : tensor_map_steps(m, d);
    NEEDS(bytes <= MAX_TILE_BYTES, "the box has %llu bytes; it must have %d at most", (unsigned long long)bytes,
          MAX_TILE_BYTES)
    return true;
}

bool tensor_map_valid(const struct tensor_map *m, char *why, size_t why_size)
{
    NEEDS(tensor_type_size((enum tensor_type)m->type), "its data type %u does not exist", m->type)
    NEEDS(m->rank && m->rank <= TENSOR_MAP_RANKS, "its rank is %u; it must be 1 to %d", m->rank, TENSOR_MAP_RANKS)
    NEEDS(m->address % 16 == 0, "globalAddress 0x%llx is not a multiple of 16", (unsigned long long)m->address)
    NEEDS(m->interleave <= 2, "its interleave %u does not exist", m->interleave)
    NEEDS(!m->interleave || m->rank >= 3, "an interleaved tensor has a tensorRank of 3 to 5, not %u", m->rank)
    NEEDS(m->interleave < 2 || m->address % 32 == 0,
          "globalAddress 0x%llx is not a multiple of 32, which slices of 32 bytes need", (unsigned long long)m->address)
    for (uint32_t d = 0; d < m->rank; d++)
        if (!dimension_valid(m, d, why, why_size))
            return false;
    if (m->columns && !corners_valid(m, why, why_size))
        return false;
    NEEDS(!m->nan || tensor_type_is_float((enum tensor_type)m->type),
          "NaN as the fill out of bounds needs floating-point elements")
    return row_valid(m, why, why_size) && tile_valid(m, why, why_size);
}
