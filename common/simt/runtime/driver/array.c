// The driver's arrays, texture and surface objects, with its own descriptors.
#include "runtime/driver/driver.h"
#include "runtime/tasks/work.h"

// ---- formats

static bool read_format(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *out)
{
    static const struct {
        CUarray_format format;
        int bits;
        enum cudaChannelFormatKind kind;
    } formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                   {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                   {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                   {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                   {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                   {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                   {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                   {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            int bits = formats[i].bits, second = channels > 1 ? bits : 0, more = channels > 2 ? bits : 0;
            *out = cudaCreateChannelDesc(bits, second, more, more, formats[i].kind);
            return channels == 1 || channels == 2 || channels == 4;
        }
    return false;
}

// ---- arrays

CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct cudaChannelFormatDesc desc;
    if (!out || !d || !read_format(d->Format, d->NumChannels, &desc))
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaExtent extent = {d->Width, d->Height, d->Depth};
    return THROUGH(cudaMalloc3DArray((cudaArray_t *)out, &desc, extent, d->Flags));
}

CUresult cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!d)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR deep = {
        .Width = d->Width, .Height = d->Height, .Format = d->Format, .NumChannels = d->NumChannels};
    return cuArray3DCreate(out, &deep);
}

CUresult cuArrayDestroy(CUarray array)
{
    if (!find_array((cudaArray_const_t)array))
        return CUDA_ERROR_INVALID_HANDLE;
    return THROUGH(cudaFreeArray((cudaArray_t)array));
}

// n bytes of a 1D array, from byte `at` on.
CUresult cuMemcpyHtoA(CUarray to, size_t at, const void *from, size_t n)
{
    return THROUGH(cudaMemcpyToArray((cudaArray_t)to, at, 0, from, n, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t at, size_t n)
{
    return THROUGH(cudaMemcpyFromArray(to, (cudaArray_const_t)from, at, 0, n, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoA(CUarray to, size_t at, CUdeviceptr from, size_t n)
{
    return THROUGH(cudaMemcpyToArray((cudaArray_t)to, at, 0, pointer_of(from), n, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t at, size_t n)
{
    return THROUGH(cudaMemcpyFromArray(pointer_of(to), (cudaArray_const_t)from, at, 0, n, cudaMemcpyDeviceToDevice));
}

// ---- objects

static bool read_resource(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
    memset(to, 0, sizeof *to);
    to->resType = (enum cudaResourceType)from->resType;
    if (from->resType == CU_RESOURCE_TYPE_ARRAY)
        to->res.array.array = (cudaArray_t)from->res.array.hArray;
    if (from->resType == CU_RESOURCE_TYPE_LINEAR) {
        to->res.linear.devPtr = pointer_of(from->res.linear.devPtr);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return read_format(from->res.linear.format, from->res.linear.numChannels, &to->res.linear.desc);
    }
    if (from->resType == CU_RESOURCE_TYPE_PITCH2D) {
        to->res.pitch2D.devPtr = pointer_of(from->res.pitch2D.devPtr);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return read_format(from->res.pitch2D.format, from->res.pitch2D.numChannels, &to->res.pitch2D.desc);
    }
    return true;
}

// The format of the texels, whether of memory or an array.
static struct cudaChannelFormatDesc format_of(const struct cudaResourceDesc *r)
{
    const struct array *a = r->resType == cudaResourceTypeArray ? find_array(r->res.array.array) : NULL;
    return a ? a->desc : r->resType == cudaResourceTypeLinear ? r->res.linear.desc : r->res.pitch2D.desc;
}

// The driver converts 8-bit and 16-bit integers to floats unless CU_TRSF_READ_AS_INTEGER is set.
static void read_sampler(const CUDA_TEXTURE_DESC *from, const struct cudaResourceDesc *r, struct cudaTextureDesc *to)
{
    const struct cudaChannelFormatDesc desc = format_of(r);
    bool scaled = desc.f != cudaChannelFormatKindFloat && desc.x < 32 && !(from->flags & CU_TRSF_READ_AS_INTEGER);
    *to = (struct cudaTextureDesc){.readMode = scaled ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
                                   .filterMode = (enum cudaTextureFilterMode)from->filterMode,
                                   .normalizedCoords = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                                   .sRGB = (from->flags & CU_TRSF_SRGB) != 0};
    for (int k = 0; k < 3; k++)
        to->addressMode[k] = (enum cudaTextureAddressMode)from->addressMode[k];
    memcpy(to->borderColor, from->borderColor, sizeof to->borderColor);
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampler,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct cudaResourceDesc r;
    struct cudaTextureDesc d;
    cudaTextureObject_t texture = 0;
    if (!out || !resource || !sampler || !read_resource(resource, &r))
        return CUDA_ERROR_INVALID_VALUE;
    if (view)
        return CUDA_ERROR_NOT_SUPPORTED;
    read_sampler(sampler, &r, &d);
    CUresult e = THROUGH(cudaCreateTextureObject(&texture, &r, &d, NULL));
    *out = texture;
    return e;
}

CUresult cuTexObjectDestroy(CUtexObject texture)
{
    return THROUGH(cudaDestroyTextureObject(texture));
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    struct cudaResourceDesc r;
    cudaSurfaceObject_t surface = 0;
    if (!out || !resource || !read_resource(resource, &r))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult e = THROUGH(cudaCreateSurfaceObject(&surface, &r));
    *out = surface;
    return e;
}

CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
    return THROUGH(cudaDestroySurfaceObject(surface));
}
