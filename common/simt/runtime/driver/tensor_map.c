// Tensor maps: how a program describes a tensor to cp.async.bulk.tensor.
#include "exec/tensor_map.h"
#include "report/report.h"
#include "runtime/driver/driver.h"

_Static_assert(sizeof(struct tensor_map) <= sizeof(CUtensorMap), "a map fits CUDA's");

// What both functions that encode a map take.
struct request {
    const char *name;
    CUtensorMap *out;
    struct tensor_map map; // type, rank and address are set
    const cuuint64_t *size, *strides;
    const cuuint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

static CUresult refuse(const struct request *r, const char *why)
{
    complain("%s fails: %s", r->name, why);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult not_supported(const struct request *r, const char *what)
{
    complain("%s: %s is not supported by the SIMT machine: leave it out, or use a GPU", r->name, what);
    return CUDA_ERROR_NOT_SUPPORTED;
}

// Values that the machine does not support: they belong to later devices, or we have not measured their effect.
static CUresult check_kinds(const struct request *r)
{
    if (r->map.type >= TENSOR_TYPES)
        return not_supported(r, "a data type of 4 or 6 bits");
    if ((unsigned)r->swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return not_supported(r, "a swizzle of atoms of 32 or 64 bytes");
    if (r->interleave && r->map.columns)
        return not_supported(r, "im2col of an interleaved layout");
    if (r->interleave && r->steps && r->steps[0] > 1)
        return not_supported(r, "an elementStrides[0] other than 1 of an interleaved layout");
    return CUDA_SUCCESS;
}

static bool sizes_fit(const struct request *r)
{
    bool fit = true;
    for (uint32_t d = 0; d < r->map.rank; d++)
        fit &= r->size[d] && r->size[d] <= UINT64_C(1) << 32;
    return fit;
}

// Begins the call: whether its arguments are those of a map.
static CUresult begin(const struct request *r)
{
    CUresult e = driver_begin();
    e = e ? e : check_kinds(r);
    if (e)
        return e;
    if (!r->out || (uintptr_t)r->out % 64)
        return refuse(r, "the address of the map is not a multiple of 64");
    if (!r->map.rank || r->map.rank > TENSOR_MAP_RANKS)
        return refuse(r, "tensorRank is not 1 to 5");
    if (!r->map.address || !r->size || !r->steps || (r->map.rank > 1 && !r->strides))
        return refuse(r, "an array or the tensor's address is NULL");
    if (!sizes_fit(r))
        return refuse(r, "a dimension of globalDim is not 1 to 2^32");
    if ((unsigned)r->interleave > CU_TENSOR_MAP_INTERLEAVE_32B)
        return refuse(r, "interleave is not a value of its type");
    if ((unsigned)r->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        (unsigned)r->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return refuse(r, "l2Promotion or oobFill is not a value of its type");
    return CUDA_SUCCESS;
}

// A number that does not fit its field becomes another invalid number.
static uint16_t clipped(cuuint32_t number)
{
    return (uint16_t)(number > UINT16_MAX ? UINT16_MAX : number);
}

// Completes the map, whose box is set, and writes it.
static CUresult encode(struct request *r)
{
    char why[200];
    struct tensor_map *m = &r->map;
    m->interleave = (uint8_t)r->interleave;
    m->swizzle = (uint8_t)r->swizzle;
    m->nan = r->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    m->stride[0] = tensor_map_unit(m);
    for (uint32_t d = 0; d < m->rank; d++) {
        m->last[d] = (uint32_t)(r->size[d] - 1);
        m->step[d] = (uint8_t)(r->steps[d] > UINT8_MAX ? UINT8_MAX : r->steps[d]);
        if (d)
            m->stride[d] = r->strides[d - 1];
    }
    if (!tensor_map_valid(m, why, sizeof why))
        return refuse(r, why);
    memset(r->out, 0, sizeof *r->out);
    memcpy(r->out, m, sizeof *m);
    return CUDA_SUCCESS;
}

static struct tensor_map begin_map(CUtensorMapDataType type, cuuint32_t rank, const void *address)
{
    return (struct tensor_map){.mark = TENSOR_MAP_MARK,
                               .address = (uint64_t)(uintptr_t)address,
                               .type = (uint8_t)type,
                               .rank = (uint8_t)(rank > UINT8_MAX ? UINT8_MAX : rank)};
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct request r = {"cuTensorMapEncodeTiled",
                        out,
                        begin_map(type, rank, address),
                        size,
                        strides,
                        steps,
                        interleave,
                        swizzle,
                        promotion,
                        fill};
    CUresult e = begin(&r);
    if (e)
        return e;
    if (!box)
        return refuse(&r, "boxDim is NULL");
    for (uint32_t d = 0; d < rank; d++)
        r.map.box[d] = clipped(box[d]);
    return encode(&r);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *size, const cuuint64_t *strides, const int *low, const int *high,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct request r = {"cuTensorMapEncodeIm2col",
                        out,
                        begin_map(type, rank, address),
                        size,
                        strides,
                        steps,
                        interleave,
                        swizzle,
                        promotion,
                        fill};
    r.map.columns = true;
    CUresult e = begin(&r);
    if (e)
        return e;
    if (!low || !high)
        return refuse(&r, "a corner is NULL");
    r.map.box[0] = clipped(channels);
    r.map.box[1] = clipped(pixels);
    for (uint32_t k = 0; k + 2 < rank; k++) {
        r.map.low[k] = (int16_t)low[k];
        r.map.high[k] = (int16_t)high[k];
        if (r.map.low[k] != low[k] || r.map.high[k] != high[k])
            return refuse(&r, "a number of pixelBoxLowerCorner or pixelBoxUpperCorner is not -32768 to 32767");
    }
    return encode(&r);
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
