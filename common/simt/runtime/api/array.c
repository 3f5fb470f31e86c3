// Calls for CUDA arrays: allocation, queries, copies to and from them.
#include <stdlib.h>

#include "base/alloc.h"
#include "runtime/api/submit.h"
#include "runtime/api/texel.h"

// ---- allocation

static bool within(struct cudaExtent e, size_t width, size_t height, size_t depth)
{
    return e.width && e.width <= width && e.height <= height && e.depth <= depth;
}

// The extents that an H200 accepts, by kind of array.
static bool is_extent(struct cudaExtent e, unsigned flags)
{
    bool layered = flags & cudaArrayLayered;
    if (flags & cudaArrayCubemap)
        return within(e, 32768, 32768, layered ? 2046 : 6) && e.height == e.width && e.depth && e.depth % 6 == 0;
    if (layered)
        return within(e, 32768, 32768, 2048) && e.depth;
    return e.depth ? within(e, 16384, 16384, 16384) && e.height : within(e, 131072, 65536, 0);
}

static cudaError_t describe(struct array *a, const struct cudaChannelFormatDesc *desc, struct cudaExtent e,
                            unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
    struct texture t = {0};
    if (flags & ~known || !is_extent(e, flags))
        return cudaErrorInvalidValue;
    if (!read_texel(desc, &t))
        return cudaErrorInvalidChannelDescriptor;
    *a = (struct array){.desc = *desc, .extent = e, .flags = flags, .texel = texel_bytes(&t)};
    a->pitch = e.width * a->texel;
    a->rows = e.height ? e.height : 1;
    a->slices = e.depth ? e.depth : 1;
    return cudaSuccess;
}

static cudaError_t allocate_array(cudaArray_t *out, const struct array *a)
{
    const struct allocation *memory = memory_alloc(array_bytes(a), MEMORY_ARRAY, current_device());
    struct array *object = memory ? alloc_zeroed(1, sizeof *object) : NULL;
    if (!object)
        return cudaErrorMemoryAllocation;
    *object = *a;
    object->memory = (void *)(uintptr_t)memory->base;
    *out = handle_open(HANDLE_ARRAY, object);
    return cudaSuccess;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
    struct array a;
    cudaError_t e = enter_and_wait();
    if (e || !out || !desc)
        return leave(e ? e : cudaErrorInvalidValue);
    e = check_unsafe_in_capture();
    e = e ? e : describe(&a, desc, extent, flags);
    return leave(e ? e : allocate_array(out, &a));
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags)
{
    return cudaMalloc3DArray(out, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t e = enter_and_wait();
    struct array *a = find_array(array);
    const struct allocation *found;
    e = e ? e : check_unsafe_in_capture();
    host_waits_for_device(current_device());
    if (e || !array)
        return leave(e);
    if (!a)
        return leave(cudaErrorInvalidValue);
    handle_close(HANDLE_ARRAY, array);
    memory_free((uint64_t)(uintptr_t)a->memory, &found);
    free(a);
    return cudaSuccess;
}

// ---- queries

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    cudaError_t e = enter();
    const struct array *a = find_array(array);
    if (e || !a)
        return leave(e ? e : cudaErrorInvalidValue);
    if (desc)
        *desc = a->desc;
    if (extent)
        *extent = a->extent;
    if (flags)
        *flags = a->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return desc ? cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array) : leave(cudaErrorInvalidValue);
}

// ---- copies

// One end of a copy: an array's bytes from byte x of row y on, or memory.
struct side {
    cudaArray_const_t array;
    size_t x, y;
    const void *memory;
    size_t pitch;
};

// height 0: width contiguous bytes, across the ends of rows.
static cudaError_t read_side(const struct side *side, size_t width, size_t height, const void **at, size_t *pitch)
{
    const struct array *a = side->array ? find_array(side->array) : NULL;
    uint8_t *start;
    *at = side->memory;
    *pitch = side->pitch;
    if (!side->array)
        return cudaSuccess;
    if (!a)
        return cudaErrorInvalidValue;
    size_t end = side->x + width, rows = height ? height : (end + a->pitch - 1) / a->pitch;
    const struct box box = {side->x, side->y, 0, height ? width : rows > 1 ? a->pitch - side->x : width, rows, 1};
    cudaError_t e = array_place(a, &box, &start);
    *at = e ? NULL : start;
    *pitch = a->pitch;
    return e;
}

static cudaError_t copy(const struct side *to, const struct side *from, size_t width, size_t height,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    size_t to_pitch, from_pitch, rows = height ? height : 1;
    const void *target, *source;
    cudaError_t e = read_side(to, width, height, &target, &to_pitch);
    e = e ? e : read_side(from, width, height, &source, &from_pitch);
    if (e)
        return leave(e);
    to_pitch = height ? to_pitch : width;
    from_pitch = height ? from_pitch : width;
    return submit_rows((void *)(uintptr_t)target, to_pitch, source, from_pitch, width, rows, kind, stream, waits);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(&(struct side){to, x, y, NULL, 0}, &(struct side){NULL, 0, 0, from, pitch}, width, height, kind, stream,
                false);
}
PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return copy(&(struct side){to, x, y, NULL, 0}, &(struct side){NULL, 0, 0, from, pitch}, width, height, kind, NULL,
                true);
}
PER_THREAD(cudaMemcpy2DToArray, _ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(&(struct side){NULL, 0, 0, to, pitch}, &(struct side){from, x, y, NULL, 0}, width, height, kind, stream,
                false);
}
PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    return copy(&(struct side){NULL, 0, 0, to, pitch}, &(struct side){from, x, y, NULL, 0}, width, height, kind, NULL,
                true);
}
PER_THREAD(cudaMemcpy2DFromArray, _ptds);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy(&(struct side){to, to_x, to_y, NULL, 0}, &(struct side){from, from_x, from_y, NULL, 0}, width, height,
                kind, NULL, true);
}
PER_THREAD(cudaMemcpy2DArrayToArray, _ptds);

// ---- the same for n bytes, across rows

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    return copy(&(struct side){to, x, y, NULL, 0}, &(struct side){NULL, 0, 0, from, n}, n, 0, kind, NULL, true);
}
PER_THREAD(cudaMemcpyToArray, _ptds);

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(&(struct side){to, x, y, NULL, 0}, &(struct side){NULL, 0, 0, from, n}, n, 0, kind, stream, false);
}
PER_THREAD(cudaMemcpyToArrayAsync, _ptsz);

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n,
                                enum cudaMemcpyKind kind)
{
    return copy(&(struct side){NULL, 0, 0, to, n}, &(struct side){from, x, y, NULL, 0}, n, 0, kind, NULL, true);
}
PER_THREAD(cudaMemcpyFromArray, _ptds);

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy(&(struct side){NULL, 0, 0, to, n}, &(struct side){from, x, y, NULL, 0}, n, 0, kind, stream, false);
}
PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz);

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t n, enum cudaMemcpyKind kind)
{
    const struct side target = {to, to_x, to_y, NULL, 0}, source = {from, from_x, from_y, NULL, 0};
    return copy(&target, &source, n, 0, kind, NULL, true);
}
PER_THREAD(cudaMemcpyArrayToArray, _ptds);
