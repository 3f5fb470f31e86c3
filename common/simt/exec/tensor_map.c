// Which values a tensor map may hold (CUDA driver API: cuTensorMapEncodeTiled).
#include "exec/tensor_map.h"

#include <stdio.h>

#define MAX_BOX 256
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
    NEEDS(box && box <= MAX_BOX, "boxDim[%u] is %u; it must be 1 to %d", d, box, MAX_BOX)
    NEEDS(step && step <= MOST_STEP, "elementStrides[%u] is %u; it must be 1 to %d", d, step, MOST_STEP)
    if (!d)
        return true;
    NEEDS(m->stride[d] % 16 == 0, "globalStrides[%u] is %llu bytes, not a multiple of 16", d - 1,
          (unsigned long long)m->stride[d])
    NEEDS(m->stride[d] < STRIDE_LIMIT, "globalStrides[%u] is %llu bytes; it must be less than 2^40", d - 1,
          (unsigned long long)m->stride[d])
    return true;
}

static bool row_valid(const struct tensor_map *m, char *why, size_t why_size)
{
    unsigned row = tensor_map_row(m), span = 16u << m->swizzle;
    NEEDS(row % 16 == 0, "a row of the box has %u bytes (boxDim[0] elements), not a multiple of 16", row)
    NEEDS(!m->swizzle || row <= span, "a row of the box has %u bytes, more than the %u of the swizzle", row, span)
    return true;
}

bool tensor_map_valid(const struct tensor_map *m, char *why, size_t why_size)
{
    NEEDS(tensor_type_size((enum tensor_type)m->type), "its data type %u does not exist", m->type)
    NEEDS(m->rank && m->rank <= TENSOR_MAP_RANKS, "its rank is %u; it must be 1 to %d", m->rank, TENSOR_MAP_RANKS)
    NEEDS(m->address % 16 == 0, "globalAddress 0x%llx is not a multiple of 16", (unsigned long long)m->address)
    for (uint32_t d = 0; d < m->rank; d++)
        if (!dimension_valid(m, d, why, why_size))
            return false;
    NEEDS(!m->nan || tensor_type_is_float((enum tensor_type)m->type),
          "NaN as the fill out of bounds needs floating-point elements")
    return row_valid(m, why, why_size);
}
