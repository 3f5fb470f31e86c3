// Calls for devices: choosing one, properties, limits, waiting, peers.
#include <cuda_profiler_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "count/profile.h"
#include "estimate/estimate.h"
#include "runtime/capture/capture.h"
#include "runtime/registry/registry.h"

static struct {
    pthread_mutex_t lock;
    unsigned flags[MAX_DEVICES];
    bool peers[MAX_DEVICES][MAX_DEVICES];
} devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int attribute_of(enum cudaDeviceAttr attribute)
{
    int value = 0;
    device_attribute(attribute, &value);
    return value;
}

// ---- choosing

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return leave(cudaErrorInvalidValue);
    *count = (int)settings()->devices;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    if (!is_device(device))
        return leave(cudaErrorInvalidDevice);
    use_device(device);
    return leave(enter());
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return leave(cudaErrorInvalidValue);
    *device = current_device();
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    *device = 0;
    return leave(prop ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaSetValidDevices(int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (!is_device(list[i]))
            return leave(cudaErrorInvalidDevice);
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    pthread_mutex_lock(&devices.lock);
    devices.flags[current_device()] = flags;
    pthread_mutex_unlock(&devices.lock);
    return leave(enter());
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    pthread_mutex_lock(&devices.lock);
    *flags = devices.flags[current_device()] | cudaDeviceMapHost;
    pthread_mutex_unlock(&devices.lock);
    return leave(enter());
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    if (!is_device(device))
        return leave(cudaErrorInvalidDevice);
    pthread_mutex_lock(&devices.lock);
    if (flags & cudaInitDeviceFlagsAreValid)
        devices.flags[device] = device_flags;
    pthread_mutex_unlock(&devices.lock);
    return cudaSuccess;
}

// ---- properties

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (!value)
        return leave(cudaErrorInvalidValue);
    if (!is_device(device))
        return leave(cudaErrorInvalidDevice);
    cudaError_t e = device_attribute(attribute, value);
    if (!e && (attribute == cudaDevAttrPciBusId || attribute == cudaDevAttrPciDeviceId))
        *value = attribute == cudaDevAttrPciBusId ? device + 1 : 0;
    return leave(e);
}

static void fill_limits(struct cudaDeviceProp *p)
{
    p->totalGlobalMem = memory_capacity();
    p->sharedMemPerBlock = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerBlock);
    p->sharedMemPerBlockOptin = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    p->sharedMemPerMultiprocessor = (size_t)attribute_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    p->reservedSharedMemPerBlock = (size_t)attribute_of(cudaDevAttrReservedSharedMemoryPerBlock);
    p->regsPerBlock = attribute_of(cudaDevAttrMaxRegistersPerBlock);
    p->regsPerMultiprocessor = attribute_of(cudaDevAttrMaxRegistersPerMultiprocessor);
    p->warpSize = attribute_of(cudaDevAttrWarpSize);
    p->memPitch = (size_t)attribute_of(cudaDevAttrMaxPitch);
    p->maxThreadsPerBlock = attribute_of(cudaDevAttrMaxThreadsPerBlock);
    p->maxThreadsPerMultiProcessor = attribute_of(cudaDevAttrMaxThreadsPerMultiProcessor);
    p->maxBlocksPerMultiProcessor = attribute_of(cudaDevAttrMaxBlocksPerMultiprocessor);
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + i));
        p->maxGridSize[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxGridDimX + i));
    }
    p->totalConstMem = (size_t)attribute_of(cudaDevAttrTotalConstantMemory);
    p->textureAlignment = (size_t)attribute_of(cudaDevAttrTextureAlignment);
    p->texturePitchAlignment = (size_t)attribute_of(cudaDevAttrTexturePitchAlignment);
    p->surfaceAlignment = (size_t)attribute_of(cudaDevAttrSurfaceAlignment);
    p->multiProcessorCount = attribute_of(cudaDevAttrMultiProcessorCount);
    p->memoryBusWidth = attribute_of(cudaDevAttrGlobalMemoryBusWidth);
    p->l2CacheSize = attribute_of(cudaDevAttrL2CacheSize);
    p->persistingL2CacheMaxSize = attribute_of(cudaDevAttrMaxPersistingL2CacheSize);
    p->accessPolicyMaxWindowSize = attribute_of(cudaDevAttrMaxAccessPolicyWindowSize);
    p->asyncEngineCount = attribute_of(cudaDevAttrAsyncEngineCount);
}

static void fill_arrays(struct cudaDeviceProp *p)
{
    p->maxTexture1D = attribute_of(cudaDevAttrMaxTexture1DWidth);
    p->maxSurface1D = attribute_of(cudaDevAttrMaxSurface1DWidth);
    for (int i = 0; i < 2; i++) {
        p->maxTexture2D[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxTexture2DWidth + i));
        p->maxTexture2DGather[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxTexture2DGatherWidth + i));
        p->maxTexture1DLayered[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxTexture1DLayeredWidth + i));
        p->maxSurface2D[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxSurface2DWidth + i));
    }
    for (int i = 0; i < 3; i++) {
        p->maxTexture3D[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxTexture3DWidth + i));
        p->maxTexture2DLinear[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxTexture2DLinearWidth + i));
        p->maxTexture2DLayered[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxTexture2DLayeredWidth + i));
        p->maxSurface3D[i] = attribute_of((enum cudaDeviceAttr)(cudaDevAttrMaxSurface3DWidth + i));
    }
}

static void fill_abilities(struct cudaDeviceProp *p)
{
    p->canMapHostMemory = attribute_of(cudaDevAttrCanMapHostMemory);
    p->concurrentKernels = attribute_of(cudaDevAttrConcurrentKernels);
    p->unifiedAddressing = attribute_of(cudaDevAttrUnifiedAddressing);
    p->streamPrioritiesSupported = attribute_of(cudaDevAttrStreamPrioritiesSupported);
    p->globalL1CacheSupported = attribute_of(cudaDevAttrGlobalL1CacheSupported);
    p->localL1CacheSupported = attribute_of(cudaDevAttrLocalL1CacheSupported);
    p->managedMemory = attribute_of(cudaDevAttrManagedMemory);
    p->concurrentManagedAccess = attribute_of(cudaDevAttrConcurrentManagedAccess);
    p->computePreemptionSupported = attribute_of(cudaDevAttrComputePreemptionSupported);
    p->cooperativeLaunch = attribute_of(cudaDevAttrCooperativeLaunch);
    p->clusterLaunch = attribute_of(cudaDevAttrClusterLaunch);
    p->hostRegisterSupported = attribute_of(cudaDevAttrHostRegisterSupported);
    p->memoryPoolsSupported = attribute_of(cudaDevAttrMemoryPoolsSupported);
#if CUDART_VERSION < 13000
    p->clockRate = attribute_of(cudaDevAttrClockRate);
    p->memoryClockRate = attribute_of(cudaDevAttrMemoryClockRate);
    p->deviceOverlap = attribute_of(cudaDevAttrGpuOverlap);
    p->singleToDoublePrecisionPerfRatio = attribute_of(cudaDevAttrSingleToDoublePrecisionPerfRatio);
#endif
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (!p)
        return leave(cudaErrorInvalidValue);
    if (!is_device(device))
        return leave(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Warpbook SIMT machine");
    memcpy(p->uuid.bytes, "SIMT machine", 12);
    p->uuid.bytes[15] = (char)device;
    p->major = attribute_of(cudaDevAttrComputeCapabilityMajor);
    p->minor = attribute_of(cudaDevAttrComputeCapabilityMinor);
    p->pciBusID = device + 1;
    fill_limits(p);
    fill_arrays(p);
    fill_abilities(p);
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    if (!is_device(device))
        return leave(cudaErrorInvalidDevice);
    return leave(snprintf(text, (size_t)length, "0000:%02X:00.0", device + 1) < length ? cudaSuccess
                                                                                       : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    unsigned bus = 0;
    const char *colon = text ? strrchr(text, ':') : NULL;
    if (!colon || colon - text < 2 || sscanf(colon - 2, "%2X", &bus) != 1 || !is_device((int)bus - 1))
        return leave(cudaErrorInvalidValue);
    *device = (int)bus - 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return leave(enter());
}

// ---- waiting, reset, limits

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t e = enter_and_wait();
    host_waits_for_device(current_device());
    return leave(e ? e : check_unsafe_in_capture());
}

// The names of CUDA 1 to 4, which toolkits before 13 still declare.
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

struct to_free {
    int device;
    uint64_t *bases;
    size_t count;
};

static void collect(const struct allocation *a, void *data)
{
    struct to_free *f = data;
    if (a->device != f->device)
        return;
    if ((f->count & (f->count - 1)) == 0)
        f->bases = alloc_resize(f->bases, f->count ? 2 * f->count : 1, sizeof *f->bases);
    f->bases[f->count++] = a->base;
}

cudaError_t cudaDeviceReset(void)
{
    struct to_free f = {.device = current_device()};
    const struct allocation *found;
    end_captures(current_device());
    host_waits_for_device(current_device());
    forget_modules(current_device());
    memory_each(collect, &f);
    for (size_t i = 0; i < f.count; i++)
        memory_free(f.bases[i], &found);
    free(f.bases);
    pthread_mutex_lock(&devices.lock);
    memset(devices.peers[current_device()], 0, sizeof devices.peers[current_device()]);
    devices.flags[current_device()] = 0;
    pthread_mutex_unlock(&devices.lock);
    reset_device_limits(current_device());
    device_recovered(current_device());
    return cudaSuccess;
}

// Since capability 9.0 a kernel cannot wait for its children, so this limit has no meaning.
static bool is_limit(enum cudaLimit limit)
{
    return (unsigned)limit <= cudaLimitPersistingL2CacheSize && limit != cudaLimitDevRuntimeSyncDepth;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if (!is_limit(limit))
        return leave(cudaErrorUnsupportedLimit);
    set_device_limit(current_device(), limit, value);
    return leave(enter());
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value || !is_limit(limit))
        return leave(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    *value = device_limit(current_device(), limit);
    return leave(enter());
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    (void)config;
    return leave(enter());
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cudaFuncCachePreferNone;
    return leave(enter());
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    return leave(enter());
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return leave(enter());
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return leave(enter());
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

// ---- profiles

cudaError_t cudaProfilerStart(void)
{
    profile_range(true);
    estimate_range(true);
    return leave(enter());
}

cudaError_t cudaProfilerStop(void)
{
    profile_range(false);
    estimate_range(false);
    return leave(enter());
}

// ---- peers: all devices' memory lies in one arena

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!is_device(device) || !is_device(peer))
        return leave(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

uint32_t inaccessible_devices(int device)
{
    uint32_t inaccessible = 0;
    for (uint32_t peer = 0; peer < settings()->devices; peer++)
        inaccessible |= (uint32_t)(peer != (uint32_t)device && !devices.peers[device][peer]) << peer;
    return inaccessible;
}

// Sets the state of peer access. wrong: the error if it is in that state already.
static cudaError_t set_peer(int peer, bool on, cudaError_t wrong)
{
    if (!is_device(peer) || peer == current_device())
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&devices.lock);
    cudaError_t e = devices.peers[current_device()][peer] == on ? wrong : cudaSuccess;
    devices.peers[current_device()][peer] = on;
    pthread_mutex_unlock(&devices.lock);
    return e;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    cudaError_t e = enter();
    e = e ? e : flags ? cudaErrorInvalidValue : set_peer(peer, true, cudaErrorPeerAccessAlreadyEnabled);
    return leave(e);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    cudaError_t e = enter();
    return leave(e ? e : set_peer(peer, false, cudaErrorPeerAccessNotEnabled));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    if (!is_device(from) || !is_device(to) || from == to)
        return leave(cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
}
