// The emulated devices: SIMT_DEVICES of them, all alike. One table holds their attributes.
#include <pthread.h>

#include "exec/launch.h"
#include "report/settings.h"
#include "runtime/base/base.h"

#define MEGA_HERTZ 1000 // in kHz
#define CAPABILITY_MAJOR 9
#define CAPABILITY_MINOR 0

// Attribute, value. An unlisted attribute is 0: the machine does not have it. Clock rates are round numbers: the
// machine has no clock, and programs divide by them.
#define ATTRIBUTES(X) \
    X(MaxThreadsPerBlock, 1024) \
    X(MaxBlockDimX, 1024) \
    X(MaxBlockDimY, 1024) \
    X(MaxBlockDimZ, 64) \
    X(MaxGridDimX, 0x7fffffff) \
    X(MaxGridDimY, 65535) \
    X(MaxGridDimZ, 65535) \
    X(MaxSharedMemoryPerBlock, SHARED_PER_BLOCK) \
    X(TotalConstantMemory, 64 << 10) \
    X(WarpSize, LANES) \
    X(MaxPitch, 0x7fffffff) \
    X(MaxRegistersPerBlock, 65536) \
    X(ClockRate, 1000 * MEGA_HERTZ) \
    X(TextureAlignment, 512) \
    X(GpuOverlap, 1) \
    X(MultiProcessorCount, (int)settings()->multiprocessors) \
    X(CanMapHostMemory, 1) \
    X(SurfaceAlignment, 512) \
    X(ConcurrentKernels, 1) \
    X(MemoryClockRate, 1000 * MEGA_HERTZ) \
    X(GlobalMemoryBusWidth, 512) \
    X(L2CacheSize, 4 << 20) \
    X(MaxPersistingL2CacheSize, 3 << 20) \
    X(MaxAccessPolicyWindowSize, 128 << 20) \
    X(MaxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR) \
    X(AsyncEngineCount, 1) \
    X(UnifiedAddressing, 1) \
    X(TexturePitchAlignment, 32) \
    X(ComputeCapabilityMajor, CAPABILITY_MAJOR) \
    X(ComputeCapabilityMinor, CAPABILITY_MINOR) \
    X(StreamPrioritiesSupported, 1) \
    X(GlobalL1CacheSupported, 1) \
    X(LocalL1CacheSupported, 1) \
    X(MaxSharedMemoryPerMultiprocessor, SHARED_PER_MULTIPROCESSOR) \
    X(MaxRegistersPerMultiprocessor, 65536) \
    X(ManagedMemory, 1) \
    X(HostNativeAtomicSupported, 0) \
    X(SingleToDoublePrecisionPerfRatio, 2) \
    X(ConcurrentManagedAccess, 1) \
    X(ComputePreemptionSupported, 1) \
    X(CooperativeLaunch, 1) \
    X(ClusterLaunch, 1) \
    X(MaxSharedMemoryPerBlockOptin, SHARED_PER_BLOCK_OPTIN) \
    X(HostRegisterSupported, 1) \
    X(MaxBlocksPerMultiprocessor, MAX_BLOCKS_PER_MULTIPROCESSOR) \
    X(ReservedSharedMemoryPerBlock, 1024) \
    X(MemoryPoolsSupported, 1) \
    X(MaxTexture1DWidth, 131072) \
    X(MaxTexture1DLinearWidth, 1 << 28) \
    X(MaxTexture2DWidth, 131072) \
    X(MaxTexture2DHeight, 65536) \
    X(MaxTexture2DLinearWidth, 131072) \
    X(MaxTexture2DLinearHeight, 65000) \
    X(MaxTexture2DLinearPitch, 2097120) \
    X(MaxTexture2DGatherWidth, 32768) \
    X(MaxTexture2DGatherHeight, 32768) \
    X(MaxTexture3DWidth, 16384) \
    X(MaxTexture3DHeight, 16384) \
    X(MaxTexture3DDepth, 16384) \
    X(MaxTexture1DLayeredWidth, 32768) \
    X(MaxTexture1DLayeredLayers, 2048) \
    X(MaxTexture2DLayeredWidth, 32768) \
    X(MaxTexture2DLayeredHeight, 32768) \
    X(MaxTexture2DLayeredLayers, 2048) \
    X(MaxTextureCubemapWidth, 32768) \
    X(MaxTextureCubemapLayeredWidth, 32768) \
    X(MaxTextureCubemapLayeredLayers, 2046) \
    X(MaxSurface1DWidth, 32768) \
    X(MaxSurface2DWidth, 131072) \
    X(MaxSurface2DHeight, 65536) \
    X(MaxSurface3DWidth, 16384) \
    X(MaxSurface3DHeight, 16384) \
    X(MaxSurface3DDepth, 16384) \
    X(MaxSurface1DLayeredWidth, 32768) \
    X(MaxSurface1DLayeredLayers, 2048) \
    X(MaxSurface2DLayeredWidth, 32768) \
    X(MaxSurface2DLayeredHeight, 32768) \
    X(MaxSurface2DLayeredLayers, 2048) \
    X(MaxSurfaceCubemapWidth, 32768)

static _Thread_local int current;

int current_device(void)
{
    return current;
}

void use_device(int device)
{
    current = device;
}

bool is_device(int device)
{
    return device >= 0 && (uint32_t)device < settings()->devices;
}

bool device_size_queried(bool now)
{
    static _Atomic bool asked;
    if (now)
        asked = true;
    return asked;
}

cudaError_t device_attribute(enum cudaDeviceAttr attribute, int *value)
{
    if ((int)attribute < 1 || attribute >= cudaDevAttrMax)
        return cudaErrorInvalidValue;
    *value = 0;
    device_size_queried(attribute == cudaDevAttrMultiProcessorCount);
    switch ((int)attribute) {
#define ATTRIBUTE_CASE(name, is) \
    case cudaDevAttr##name: *value = is; break;
        ATTRIBUTES(ATTRIBUTE_CASE)
    }
    return cudaSuccess;
}

static struct {
    pthread_mutex_t lock;
    size_t of[MAX_DEVICES][cudaLimitPersistingL2CacheSize + 1]; // as set by the program; 0: the default
} limits = {.lock = PTHREAD_MUTEX_INITIALIZER};

size_t device_limit(int device, enum cudaLimit limit)
{
    static const size_t usual[cudaLimitPersistingL2CacheSize + 1] = {[cudaLimitStackSize] = 1024,
                                                                     [cudaLimitPrintfFifoSize] = 1 << 20,
                                                                     [cudaLimitMallocHeapSize] = 8 << 20,
                                                                     [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                                                                     [cudaLimitMaxL2FetchGranularity] = 64};
    pthread_mutex_lock(&limits.lock);
    size_t value = limits.of[device][limit] ? limits.of[device][limit] : usual[limit];
    pthread_mutex_unlock(&limits.lock);
    return value;
}

void set_device_limit(int device, enum cudaLimit limit, size_t value)
{
    pthread_mutex_lock(&limits.lock);
    limits.of[device][limit] = value;
    pthread_mutex_unlock(&limits.lock);
}

void reset_device_limits(int device)
{
    pthread_mutex_lock(&limits.lock);
    memset(limits.of[device], 0, sizeof limits.of[device]);
    pthread_mutex_unlock(&limits.lock);
}
