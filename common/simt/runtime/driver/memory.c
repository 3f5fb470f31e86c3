// The driver's memory: allocation, copies, fills, pointer queries.
#include "memory/memory.h"

#include "memory/other_host.h"
#include "runtime/api/submit.h"
#include "runtime/driver/driver.h"

// ---- allocation. A size of 0 is an error here.

CUresult cuMemAlloc(CUdeviceptr *out, size_t size)
{
    return !out || !size ? CUDA_ERROR_INVALID_VALUE : THROUGH(cudaMalloc((void **)out, size));
}

CUresult cuMemAllocPitch(CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned int element)
{
    bool right = out && pitch && width && height && (element == 4 || element == 8 || element == 16);
    return right ? THROUGH(cudaMallocPitch((void **)out, pitch, width, height)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocManaged(CUdeviceptr *out, size_t size, unsigned int flags)
{
    return !out || !size ? CUDA_ERROR_INVALID_VALUE : THROUGH(cudaMallocManaged((void **)out, size, flags));
}

CUresult cuMemAllocHost(void **out, size_t size)
{
    return !out || !size ? CUDA_ERROR_INVALID_VALUE : THROUGH(cudaMallocHost(out, size));
}

CUresult cuMemHostAlloc(void **out, size_t size, unsigned int flags)
{
    return !out || !size ? CUDA_ERROR_INVALID_VALUE : THROUGH(cudaHostAlloc(out, size, flags));
}

CUresult cuMemFree(CUdeviceptr p)
{
    return THROUGH(cudaFree(pointer_of(p)));
}

CUresult cuMemFreeHost(void *p)
{
    return THROUGH(cudaFreeHost(p));
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream)
{
    return THROUGH(cudaMallocAsync((void **)out, size, stream));
}
PER_THREAD(cuMemAllocAsync, _ptsz);

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
    return THROUGH(cudaFreeAsync(pointer_of(p), stream));
}
PER_THREAD(cuMemFreeAsync, _ptsz);

CUresult cuMemHostRegister(void *p, size_t size, unsigned int flags)
{
    return THROUGH(cudaHostRegister(p, size, flags));
}

CUresult cuMemHostUnregister(void *p)
{
    return THROUGH(cudaHostUnregister(p));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *out, void *p, unsigned int flags)
{
    return THROUGH(cudaHostGetDevicePointer((void **)out, p, flags));
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p)
{
    return THROUGH(cudaHostGetFlags(flags, p));
}

// ---- queries

CUresult cuMemGetInfo(size_t *left, size_t *all)
{
    return THROUGH(cudaMemGetInfo(left, all));
}

static const struct allocation *live_allocation(CUdeviceptr p)
{
    const struct allocation *a = memory_find(p);
    return a && a->live && p - a->base < a->size ? a : NULL;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    CUresult e = driver_begin();
    const struct allocation *a = live_allocation(p);
    if (e || !a)
        return e ? e : CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = a->base;
    if (size)
        *size = a->size;
    return CUDA_SUCCESS;
}

static CUresult write_attribute(void *out, CUpointer_attribute attribute, const struct allocation *a, CUdeviceptr p)
{
    bool host = a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)out = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)out = p; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)out = pointer_of(p);
        return host || a->kind == MEMORY_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)out = a->kind == MEMORY_MANAGED; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)out = a->device; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)out = a->base; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)out = a->size; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)out = a->number; return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute, CUdeviceptr p)
{
    CUresult e = driver_begin();
    const struct allocation *a = live_allocation(p);
    return e ? e : !out || !a ? CUDA_ERROR_INVALID_VALUE : write_attribute(out, attribute, a, p);
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **out, CUdeviceptr p)
{
    CUresult e = driver_begin();
    const struct allocation *a = live_allocation(p);
    for (unsigned i = 0; !e && i < count; i++)
        if (!a || write_attribute(out[i], attributes[i], a, p))
            memset(out[i], 0, sizeof(int)); // its unknown attributes
    return e;
}

// ---- copies

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    return THROUGH(cudaMemcpy(pointer_of(to), pointer_of(from), n, cudaMemcpyDefault));
}
PER_THREAD(cuMemcpy, _ptds);

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream)
{
    return THROUGH(cudaMemcpyAsync(pointer_of(to), pointer_of(from), n, cudaMemcpyDefault, stream));
}
PER_THREAD(cuMemcpyAsync, _ptsz);

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t n)
{
    return THROUGH(cudaMemcpy(pointer_of(to), from, n, cudaMemcpyHostToDevice));
}
PER_THREAD(cuMemcpyHtoD_v2, _ptds);

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t n)
{
    return THROUGH(cudaMemcpy(to, pointer_of(from), n, cudaMemcpyDeviceToHost));
}
PER_THREAD(cuMemcpyDtoH_v2, _ptds);

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t n)
{
    return THROUGH(cudaMemcpy(pointer_of(to), pointer_of(from), n, cudaMemcpyDeviceToDevice));
}
PER_THREAD(cuMemcpyDtoD_v2, _ptds);

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream stream)
{
    return THROUGH(cudaMemcpyAsync(pointer_of(to), from, n, cudaMemcpyHostToDevice, stream));
}
PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz);

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream stream)
{
    return THROUGH(cudaMemcpyAsync(to, pointer_of(from), n, cudaMemcpyDeviceToHost, stream));
}
PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz);

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream)
{
    return THROUGH(cudaMemcpyAsync(pointer_of(to), pointer_of(from), n, cudaMemcpyDeviceToDevice, stream));
}
PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz);

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n)
{
    (void)to_context, (void)from_context; // addresses are of one space
    return cuMemcpyDtoD(to, from, n);
}

// ---- boxes: two and three dimensions, x and width in bytes

struct corner {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, rows;
};

static CUresult read_corner(const struct corner *c, struct box box, const void **at, size_t *pitch, size_t *rows)
{
    uint8_t *start;
    const struct array *a = c->type == CU_MEMORYTYPE_ARRAY ? find_array((cudaArray_const_t)c->array) : NULL;
    if (c->type == CU_MEMORYTYPE_ARRAY && !a)
        return CUDA_ERROR_INVALID_HANDLE;
    box.x = c->x, box.y = c->y, box.z = c->z;
    *pitch = a ? a->pitch : c->pitch ? c->pitch : box.width;
    *rows = a ? a->rows : c->rows ? c->rows : box.height;
    const uint8_t *base = c->type == CU_MEMORYTYPE_HOST ? c->host : pointer_of(c->device);
    *at = base + (c->z * *rows + c->y) * *pitch + c->x;
    CUresult e = a ? (CUresult)array_place(a, &box, &start) : CUDA_SUCCESS;
    if (a && !e)
        *at = start;
    return e;
}

static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
    bool to_host = to == CU_MEMORYTYPE_HOST, from_host = from == CU_MEMORYTYPE_HOST;
    if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    return to_host     ? from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost
           : from_host ? cudaMemcpyHostToDevice
                       : cudaMemcpyDeviceToDevice;
}

static CUresult copy_box(const struct corner *to, const struct corner *from, struct box box, CUstream stream,
                         bool waits)
{
    struct copy_work c = {.width = box.width,
                          .height = box.height,
                          .depth = box.depth,
                          .kind = kind_of(to->type, from->type),
                          .other_host = serves_other_host()};
    const void *target;
    CUresult e = driver_begin();
    e = e ? e : read_corner(to, box, &target, &c.to_pitch, &c.to_rows);
    e = e ? e : read_corner(from, box, &c.from, &c.from_pitch, &c.from_rows);
    if (e)
        return e;
    c.to = (void *)(uintptr_t)target;
    return driver_end(submit_copy(&c, stream, waits));
}

static CUresult copy_flat(const CUDA_MEMCPY2D *p, CUstream stream, bool waits)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    const struct corner to = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes, p->dstY, 0,
                              p->dstPitch,      0},
                        from = {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY, 0,
                                p->srcPitch,      0};
    return copy_box(&to, &from, (struct box){.width = p->WidthInBytes, .height = p->Height, .depth = 1}, stream, waits);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *p)
{
    return copy_flat(p, NULL, true);
}
PER_THREAD(cuMemcpy2D_v2, _ptds);

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *p)
{
    return copy_flat(p, NULL, true);
}
PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds);

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream)
{
    return copy_flat(p, stream, false);
}
PER_THREAD(cuMemcpy2DAsync_v2, _ptsz);

static CUresult copy_deep(const CUDA_MEMCPY3D *p, CUstream stream, bool waits)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    const struct corner to = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                              p->dstY,          p->dstZ,    p->dstPitch,  p->dstHeight},
                        from = {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes,
                                p->srcY,          p->srcZ,    p->srcPitch,  p->srcHeight};
    const struct box box = {.width = p->WidthInBytes, .height = p->Height, .depth = p->Depth};
    return copy_box(&to, &from, box, stream, waits);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *p)
{
    return copy_deep(p, NULL, true);
}
PER_THREAD(cuMemcpy3D_v2, _ptds);

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *p, CUstream stream)
{
    return copy_deep(p, stream, false);
}
PER_THREAD(cuMemcpy3DAsync_v2, _ptsz);

// ---- fills

// clang-format off
static CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t element, size_t width, size_t height,
                     CUstream stream, bool waits)
{
    struct work work = {.kind = WORK_FILL,
                        .fill = {.to = pointer_of(to), .pitch = pitch, .rows = height, .width = width * element,
                                 .height = height, .depth = 1, .value = value, .element = element}};
    CUresult e = driver_begin();
    if (e || to % element)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    cudaError_t error = waits ? enter_and_wait() : enter();
    return driver_end(leave(error ? error : submit(stream, &work, waits)));
}
// clang-format on

#define FILLS(name, type, element) \
    CUresult cuMemset##name(CUdeviceptr to, type value, size_t n) \
    { \
        return fill(to, n * element, value, element, n, 1, NULL, true); \
    } \
    PER_THREAD(cuMemset##name##_v2, _ptds); \
    CUresult cuMemset##name##Async(CUdeviceptr to, type value, size_t n, CUstream stream) \
    { \
        return fill(to, n * element, value, element, n, 1, stream, false); \
    } \
    PER_THREAD(cuMemset##name##Async, _ptsz)

#define FLAT_FILLS(name, type, element) \
    CUresult cuMemset##name(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) \
    { \
        return fill(to, pitch, value, element, width, height, NULL, true); \
    } \
    PER_THREAD(cuMemset##name##_v2, _ptds); \
    CUresult cuMemset##name##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, \
                                   CUstream stream) \
    { \
        return fill(to, pitch, value, element, width, height, stream, false); \
    } \
    PER_THREAD(cuMemset##name##Async, _ptsz)

FILLS(D8, unsigned char, 1);
FILLS(D16, unsigned short, 2);
FILLS(D32, unsigned int, 4);
FLAT_FILLS(D2D8, unsigned char, 1);
FLAT_FILLS(D2D16, unsigned short, 2);
FLAT_FILLS(D2D32, unsigned int, 4);
