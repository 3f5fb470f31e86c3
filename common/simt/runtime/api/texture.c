// Texture and surface objects: over linear memory, pitched memory and arrays. Mipmaps, views and colors in sRGB are
// refused.
#include <stdlib.h>

#include "base/alloc.h"
#include "report/report.h"
#include "runtime/api/texel.h"
#include "runtime/tasks/work.h"

// The descriptors of an object, for queries.
struct descriptors {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc sampler;
};

bool read_texel(const struct cudaChannelFormatDesc *d, struct texture *t)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    while (t->channels < 4 && bits[t->channels])
        t->channels++;
    for (uint32_t k = 1; k < 4; k++)
        if (bits[k] != (k < t->channels ? bits[0] : 0))
            return false;
    t->bits = (uint32_t)bits[0];
    t->kind = d->f == cudaChannelFormatKindSigned     ? TEXEL_SIGNED
              : d->f == cudaChannelFormatKindUnsigned ? TEXEL_UNSIGNED
                                                      : TEXEL_FLOAT;
    bool known = d->f <= cudaChannelFormatKindFloat && (t->bits == 16 || t->bits == 32 || t->bits == 8);
    return known && (t->channels == 1 || t->channels == 2 || t->channels == 4) &&
           !(t->kind == TEXEL_FLOAT && t->bits == 8);
}

// ---- the object's memory

static enum texture_shape shape_of(const struct array *a)
{
    bool layered = a->flags & cudaArrayLayered;
    if (a->flags & cudaArrayCubemap)
        return layered ? SHAPE_LAYERED_CUBE : SHAPE_CUBE;
    if (layered)
        return a->extent.height ? SHAPE_LAYERED_2D : SHAPE_LAYERED_1D;
    return a->extent.depth ? SHAPE_3D : a->extent.height ? SHAPE_2D : SHAPE_1D;
}

static cudaError_t read_array(cudaArray_const_t handle, struct texture *t)
{
    const struct array *a = find_array(handle);
    if (!a || !read_texel(&a->desc, t))
        return cudaErrorInvalidValue;
    t->shape = shape_of(a);
    t->base = (uint64_t)(uintptr_t)a->memory;
    t->width = a->extent.width;
    t->height = a->rows;
    t->depth = a->slices;
    t->pitch = a->pitch;
    return cudaSuccess;
}

static cudaError_t read_memory_of(const struct cudaResourceDesc *r, struct texture *t)
{
    bool linear = r->resType == cudaResourceTypeLinear;
    if (!read_texel(linear ? &r->res.linear.desc : &r->res.pitch2D.desc, t))
        return cudaErrorInvalidChannelDescriptor;
    uint64_t texel = texel_bytes(t);
    t->shape = linear ? SHAPE_LINEAR : SHAPE_2D;
    t->base = (uint64_t)(uintptr_t)(linear ? r->res.linear.devPtr : r->res.pitch2D.devPtr);
    t->width = linear ? r->res.linear.sizeInBytes / texel : r->res.pitch2D.width;
    t->height = linear ? 1 : r->res.pitch2D.height;
    t->depth = 1;
    t->pitch = linear ? t->width * texel : r->res.pitch2D.pitchInBytes;
    uint64_t held = linear ? texel : (t->height - 1) * t->pitch + t->width * texel; // a descriptor may claim more
    if (t->width && t->height && t->pitch >= t->width * texel && t->base % texel == 0 && memory_holds(t->base, held))
        return cudaSuccess;
    complain("cudaCreateTextureObject: %llu x %llu texels of %llu bytes do not lie in an allocation at %p",
             (unsigned long long)t->width, (unsigned long long)t->height, (unsigned long long)texel,
             (void *)(uintptr_t)t->base);
    return cudaErrorInvalidValue;
}

static cudaError_t read_resource(const struct cudaResourceDesc *r, struct texture *t)
{
    if (r->resType == cudaResourceTypeArray)
        return read_array(r->res.array.array, t);
    if (r->resType == cudaResourceTypeLinear || r->resType == cudaResourceTypePitch2D)
        return read_memory_of(r, t);
    complain("textures of mipmapped arrays are not supported by the SIMT machine: use cudaMalloc3DArray, or a GPU");
    return cudaErrorNotSupported;
}

// ---- how texels are read

static cudaError_t check_sampler(const struct cudaTextureDesc *d, const struct texture *t)
{
    if (d->sRGB) {
        complain("textures in sRGB are not supported by the SIMT machine: convert in the kernel, or use a GPU");
        return cudaErrorNotSupported;
    }
    if (t->to_float && t->kind != TEXEL_FLOAT && t->bits == 32)
        return cudaErrorInvalidNormSetting;
    return t->linear && t->kind != TEXEL_FLOAT && !t->to_float ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

static cudaError_t read_sampler(const struct cudaTextureDesc *d, struct texture *t)
{
    t->to_float = d->readMode == cudaReadModeNormalizedFloat;
    t->normalized = d->normalizedCoords;
    t->linear = t->shape != SHAPE_LINEAR && d->filterMode == cudaFilterModeLinear;
    memcpy(t->border, d->borderColor, sizeof t->border);
    for (int k = 0; k < 3; k++) { // wrap and mirror are for normalized coordinates
        bool repeats = d->addressMode[k] == cudaAddressModeWrap || d->addressMode[k] == cudaAddressModeMirror;
        t->edge[k] = repeats && !t->normalized ? EDGE_CLAMP : (enum texture_edge)d->addressMode[k];
    }
    return check_sampler(d, t);
}

// ---- objects

static uint64_t open_object(struct texture *t, const struct cudaResourceDesc *r, const struct cudaTextureDesc *sampler)
{
    struct descriptors *d = alloc_zeroed(1, sizeof *d);
    d->resource = *r;
    if (sampler)
        d->sampler = *sampler;
    t->made_from = d;
    uint64_t handle = texture_open(t);
    if (!handle)
        free(d);
    return handle;
}

static const struct descriptors *find_object(uint64_t handle, bool surface)
{
    const struct texture *t = texture_find(handle);
    return t && t->surface == surface ? t->made_from : NULL;
}

static cudaError_t close_object(uint64_t handle, bool surface)
{
    cudaError_t e = enter();
    void *d = (void *)(uintptr_t)find_object(handle, surface);
    if (e || !handle)
        return leave(e);
    if (!d || !texture_close(handle))
        return leave(cudaErrorInvalidValue);
    free(d);
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *sampler, const struct cudaResourceViewDesc *view)
{
    struct texture t = {0};
    cudaError_t e = enter();
    if (e || !out || !resource || !sampler)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = 0;
    if (view) {
        complain("views of textures (cudaResourceViewDesc) are not supported by the SIMT machine: leave the view out, "
                 "or use a GPU");
        return leave(cudaErrorNotSupported);
    }
    e = read_resource(resource, &t);
    e = e ? e : read_sampler(sampler, &t);
    if (!e)
        *out = open_object(&t, resource, sampler);
    return leave(e ? e : *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return close_object(texture, false);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource)
{
    struct texture t = {.surface = true};
    cudaError_t e = enter();
    if (e || !out || !resource || resource->resType != cudaResourceTypeArray)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = 0;
    const struct array *a = find_array(resource->res.array.array);
    if (a && !(a->flags & cudaArraySurfaceLoadStore)) {
        complain("cudaCreateSurfaceObject: the array was allocated without cudaArraySurfaceLoadStore");
        return leave(cudaErrorInvalidValue);
    }
    e = read_resource(resource, &t);
    if (!e)
        *out = open_object(&t, resource, NULL);
    return leave(e ? e : *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    return close_object(surface, true);
}

// ---- queries

static cudaError_t get_resource(struct cudaResourceDesc *out, uint64_t handle, bool surface)
{
    const struct descriptors *d = find_object(handle, surface);
    if (!out || !d)
        return leave(cudaErrorInvalidValue);
    *out = d->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t texture)
{
    return get_resource(out, texture, false);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t surface)
{
    return get_resource(out, surface, true);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t texture)
{
    const struct descriptors *d = find_object(texture, false);
    if (!out || !d)
        return leave(cudaErrorInvalidValue);
    *out = d->sampler;
    return cudaSuccess;
}
