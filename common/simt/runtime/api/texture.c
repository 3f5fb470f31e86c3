// Texture objects. They lie over linear memory or over pitched memory and are read at points; arrays, layers and
// filters are refused.
#include <string.h>

#include "exec/texture.h"
#include "report/report.h"
#include "memory/memory.h"
#include "runtime/base/base.h"

static bool read_texel(const struct cudaChannelFormatDesc *d, struct texture *t)
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

static cudaError_t read_resource(const struct cudaResourceDesc *r, struct texture *t)
{
    bool linear = r->resType == cudaResourceTypeLinear;
    if (!linear && r->resType != cudaResourceTypePitch2D) {
        complain("textures of arrays are not supported by the SIMT machine: use linear or pitched memory, or a GPU");
        return cudaErrorNotSupported;
    }
    if (!read_texel(linear ? &r->res.linear.desc : &r->res.pitch2D.desc, t))
        return cudaErrorInvalidChannelDescriptor;
    uint64_t texel = t->channels * t->bits / 8;
    t->dimensions = linear ? 1 : 2;
    t->base = (uint64_t)(uintptr_t)(linear ? r->res.linear.devPtr : r->res.pitch2D.devPtr);
    t->width = linear ? r->res.linear.sizeInBytes / texel : r->res.pitch2D.width;
    t->height = linear ? 1 : r->res.pitch2D.height;
    t->pitch = linear ? t->width * texel : r->res.pitch2D.pitchInBytes;
    if (!t->width || !t->height || t->pitch < t->width * texel || t->base % texel ||
        !memory_holds(t->base, (t->height - 1) * t->pitch + t->width * texel)) {
        complain("cudaCreateTextureObject: %llu x %llu texels of %llu bytes do not lie in an allocation at %p",
                 (unsigned long long)t->width, (unsigned long long)t->height, (unsigned long long)texel,
                 (void *)(uintptr_t)t->base);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t read_sampler(const struct cudaTextureDesc *d, struct texture *t)
{
    t->to_float = d->readMode == cudaReadModeNormalizedFloat;
    t->normalized = d->normalizedCoords;
    for (int k = 0; k < 2; k++) { // wrap and mirror are for normalized coordinates
        bool repeats = d->addressMode[k] == cudaAddressModeWrap || d->addressMode[k] == cudaAddressModeMirror;
        t->edge[k] = repeats && !t->normalized ? EDGE_CLAMP : (enum texture_edge)d->addressMode[k];
    }
    if (t->to_float && t->kind != TEXEL_FLOAT && t->bits == 32)
        return cudaErrorInvalidValue;
    if (t->dimensions == 2 && d->filterMode != cudaFilterModePoint) {
        complain("linear filters of textures are not supported by the SIMT machine: use cudaFilterModePoint, or a GPU");
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *sampler, const struct cudaResourceViewDesc *view)
{
    struct texture t = {0};
    cudaError_t e = enter();
    if (e || !out || !resource || !sampler || view)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = 0;
    e = read_resource(resource, &t);
    e = e ? e : read_sampler(sampler, &t);
    if (!e)
        *out = texture_open(&t);
    return leave(e ? e : *out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    cudaError_t e = enter();
    return leave(e ? e : !texture || texture_close(texture) ? cudaSuccess : cudaErrorInvalidValue);
}
