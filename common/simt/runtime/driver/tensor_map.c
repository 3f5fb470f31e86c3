// Tensor maps: how a program describes a tensor to cp.async.bulk.tensor.
#include "exec/tensor_map.h"
#include "report/report.h"
#include "runtime/driver/driver.h"

_Static_assert(sizeof(struct tensor_map) <= sizeof(CUtensorMap), "a map fits CUDA's");

static CUresult refuse(const char *why)
{
    complain("cuTensorMapEncodeTiled fails: %s", why);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult not_supported(const char *what)
{
    complain("cuTensorMapEncodeTiled: %s is not supported by the SIMT machine: leave it out, or use a GPU", what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

// The enum values that the machine supports: others belong to later devices, or we have not measured their effect.
static CUresult check_kinds(CUtensorMapDataType type, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle)
{
    if ((unsigned)type >= TENSOR_TYPES)
        return not_supported("a data type of 4 or 6 bits");
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
        return not_supported("an interleaved layout");
    if ((unsigned)swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return not_supported("a swizzle of atoms of 32 or 64 bytes");
    return CUDA_SUCCESS;
}

// Stores the call's numbers unchanged; one that does not fit its field becomes another invalid number.
static void describe(struct tensor_map *m, const cuuint64_t *size, const cuuint64_t *strides, const cuuint32_t *box,
                     const cuuint32_t *steps)
{
    m->stride[0] = tensor_type_size((enum tensor_type)m->type);
    for (uint32_t d = 0; d < m->rank; d++) {
        m->last[d] = (uint32_t)(size[d] - 1);
        m->box[d] = (uint16_t)(box[d] > UINT16_MAX ? UINT16_MAX : box[d]);
        m->step[d] = d ? (uint8_t)(steps[d] > UINT8_MAX ? UINT8_MAX : steps[d]) : 1; // ignored for dimension 0
        if (d)
            m->stride[d] = strides[d - 1];
    }
}

static bool sizes_fit(uint32_t rank, const cuuint64_t *size)
{
    bool fit = true;
    for (uint32_t d = 0; d < rank; d++)
        fit &= size[d] && size[d] <= UINT64_C(1) << 32;
    return fit;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    char why[200];
    struct tensor_map m = {.mark = TENSOR_MAP_MARK, .address = (uint64_t)(uintptr_t)address, .type = (uint8_t)type};
    CUresult e = driver_begin();
    e = e ? e : check_kinds(type, interleave, swizzle);
    if (e)
        return e;
    if (!out || (uintptr_t)out % 64)
        return refuse("the address of the map is not a multiple of 64");
    if (!rank || rank > TENSOR_MAP_RANKS)
        return refuse("tensorRank is not 1 to 5");
    if (!address || !size || !box || !steps || (rank > 1 && !strides))
        return refuse("an array or the tensor's address is NULL");
    if (!sizes_fit(rank, size))
        return refuse("a dimension of globalDim is not 1 to 2^32");
    if ((unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        (unsigned)fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return refuse("l2Promotion or oobFill is not a value of its type");
    m.rank = (uint8_t)rank;
    m.swizzle = (uint8_t)swizzle;
    m.nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    describe(&m, size, strides, box, steps);
    if (!tensor_map_valid(&m, why, sizeof why))
        return refuse(why);
    memset(out, 0, sizeof *out);
    memcpy(out, &m, sizeof m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct tensor_map m;
    CUresult e = driver_begin();
    if (e)
        return e;
    if (!map || (uintptr_t)address % 16 || !address)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    if (m.mark != TENSOR_MAP_MARK)
        return CUDA_ERROR_INVALID_VALUE;
    m.address = (uint64_t)(uintptr_t)address;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}
