// The driver: initialization, devices, contexts. A context is only another name of a device: allocations are visible in
// all contexts of the device, and outlive the context.
#include "runtime/driver/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

#define MAX_CONTEXTS 64 // on a thread's stack

struct context {
    int device;
    unsigned flags;
    bool primary;
};

static atomic_bool initialized;

static struct {
    pthread_mutex_t lock;
    CUcontext of[MAX_DEVICES];
    unsigned users[MAX_DEVICES];
} primary = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    CUcontext stack[MAX_CONTEXTS];
    unsigned depth;
} contexts;

static struct context *find_context(CUcontext context)
{
    return handle_object(HANDLE_CONTEXT, context);
}

static CUcontext open_context(int device, unsigned flags, bool is_primary)
{
    struct context *c = alloc_zeroed(1, sizeof *c);
    *c = (struct context){device, flags, is_primary};
    return handle_open(HANDLE_CONTEXT, c);
}

static CUcontext primary_of(int device)
{
    pthread_mutex_lock(&primary.lock);
    if (!primary.of[device])
        primary.of[device] = open_context(device, 0, true);
    CUcontext context = primary.of[device];
    pthread_mutex_unlock(&primary.lock);
    return context;
}

// The thread's current context; NULL: none. A runtime call, such as cudaSetDevice, makes the primary context current.
static CUcontext current_context(void)
{
    CUcontext top = contexts.depth ? contexts.stack[contexts.depth - 1] : NULL;
    const struct context *c = find_context(top);
    if (top && !c)
        return top; // the context was destroyed
    if (runtime_state().used && (!c || c->device != current_device()))
        return primary_of(current_device());
    return top;
}

static void set_top(CUcontext context)
{
    const struct context *c = find_context(context);
    contexts.stack[contexts.depth - 1] = context;
    if (c)
        use_device(c->device);
}

static CUresult push(CUcontext context)
{
    if (!find_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (contexts.depth == MAX_CONTEXTS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    contexts.depth++;
    set_top(context);
    return CUDA_SUCCESS;
}

// ---- between the driver's calls and the runtime's

static _Thread_local struct runtime_state before;

CUresult driver_begin_without_context(void)
{
    before = runtime_state();
    return initialized || before.used ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult driver_begin(void)
{
    CUresult e = driver_begin_without_context();
    CUcontext context = e ? NULL : current_context();
    return e                       ? e
           : !context              ? CUDA_ERROR_INVALID_CONTEXT
           : find_context(context) ? CUDA_SUCCESS
                                   : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// The two APIs number errors alike, except for invalid arguments: the driver has one error for all of them.
static CUresult as_driver_error(cudaError_t e)
{
    if (e == cudaErrorInvalidDeviceFunction)
        return CUDA_ERROR_INVALID_HANDLE;
    return e > cudaErrorProfilerAlreadyStopped && e < cudaErrorStubLibrary ? CUDA_ERROR_INVALID_VALUE : (CUresult)e;
}

CUresult driver_end(cudaError_t e)
{
    set_runtime_state(before);
    return as_driver_error(e);
}

// ---- the driver and its devices

CUresult cuInit(unsigned int flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    initialized = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    before = runtime_state(); // needs no cuInit
    return driver_end(version ? cudaDriverGetVersion(version) : cudaErrorInvalidValue);
}

CUresult cuDeviceGetCount(int *count)
{
    return WITHOUT_CONTEXT(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult e = driver_begin_without_context();
    if (e || !device)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return is_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult get_properties(struct cudaDeviceProp *p, CUdevice device)
{
    return WITHOUT_CONTEXT(cudaGetDeviceProperties(p, device));
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp p;
    CUresult e = get_properties(&p, device);
    if (e || !name || length < 1)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    strncpy(name, p.name, (size_t)length - 1);
    name[length - 1] = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp p;
    CUresult e = get_properties(&p, device);
    if (e || !bytes)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *bytes = p.totalGlobalMem;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    return WITHOUT_CONTEXT(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    CUresult e = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return e ? e : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device)
{
    struct cudaDeviceProp p;
    CUresult e = get_properties(&p, device);
    if (e || !out)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *out = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                       .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                       .totalConstantMemory = (int)p.totalConstMem,
                       .SIMDWidth = p.warpSize,
                       .memPitch = (int)p.memPitch,
                       .regsPerBlock = p.regsPerBlock,
                       .clockRate = 1000000,
                       .textureAlign = (int)p.textureAlignment};
    memcpy(out->maxThreadsDim, p.maxThreadsDim, sizeof out->maxThreadsDim);
    memcpy(out->maxGridSize, p.maxGridSize, sizeof out->maxGridSize);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    CUresult e = get_properties(&p, device);
    if (e || !uuid)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    memcpy(uuid, &p.uuid, sizeof *uuid);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    return WITHOUT_CONTEXT(cudaDeviceGetPCIBusId(text, length, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    return WITHOUT_CONTEXT(cudaDeviceGetByPCIBusId(device, text));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    return WITHOUT_CONTEXT(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to)
{
    return WITHOUT_CONTEXT(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, from, to));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return WITHOUT_CONTEXT(cudaDeviceGetDefaultMemPool(pool, device));
}

// ---- primary contexts

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult e = driver_begin_without_context();
    if (e || !context || !is_device(device))
        return e ? e : context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *context = primary_of(device);
    pthread_mutex_lock(&primary.lock);
    primary.users[device]++;
    pthread_mutex_unlock(&primary.lock);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult e = driver_begin_without_context();
    if (e || !is_device(device))
        return e ? e : CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&primary.lock);
    e = primary.users[device] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    primary.users[device] -= !e;
    pthread_mutex_unlock(&primary.lock);
    return e;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    CUresult e = driver_begin_without_context();
    if (e || !is_device(device))
        return e ? e : CUDA_ERROR_INVALID_DEVICE;
    const struct context *c = find_context(primary_of(device));
    *flags = c->flags;
    *active = primary.users[device] > 0 || runtime_state().used;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    CUresult e = driver_begin_without_context();
    if (e || !is_device(device))
        return e ? e : CUDA_ERROR_INVALID_DEVICE;
    find_context(primary_of(device))->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    CUresult e = driver_begin_without_context();
    int current = current_device();
    if (e || !is_device(device))
        return e ? e : CUDA_ERROR_INVALID_DEVICE;
    use_device(device);
    e = driver_end(cudaDeviceReset());
    use_device(current);
    return e;
}

// ---- contexts

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    CUresult e = driver_begin_without_context();
    if (e || !context || !is_device(device))
        return e ? e : context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *context = open_context(device, flags, false);
    return push(*context);
}

#if CUDA_VERSION >= 13000
CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device)
{
    if (parameters && (parameters->numExecAffinityParams || parameters->cigParams))
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuCtxCreate_v2(context, flags, device);
}
#endif

CUresult cuCtxDestroy(CUcontext context)
{
    CUresult e = driver_begin_without_context();
    struct context *c = find_context(context);
    if (e || !c || c->primary)
        return e ? e : CUDA_ERROR_INVALID_CONTEXT;
    while (contexts.depth && contexts.stack[contexts.depth - 1] == context)
        contexts.depth--;
    handle_close(HANDLE_CONTEXT, context);
    free(c);
    if (contexts.depth)
        set_top(contexts.stack[contexts.depth - 1]);
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    CUresult e = driver_begin_without_context();
    return e ? e : push(context);
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    CUresult e = driver_begin_without_context();
    if (e || !contexts.depth)
        return e ? e : CUDA_ERROR_INVALID_CONTEXT;
    if (context)
        *context = current_context();
    if (--contexts.depth)
        set_top(contexts.stack[contexts.depth - 1]);
    return CUDA_SUCCESS;
}

// NULL: the thread no longer has one.
CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult e = driver_begin_without_context();
    if (e || (context && !find_context(context)))
        return e ? e : CUDA_ERROR_INVALID_CONTEXT;
    if (!context) {
        contexts.depth -= contexts.depth > 0;
        return CUDA_SUCCESS;
    }
    if (!contexts.depth)
        return push(context);
    set_top(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    CUresult e = driver_begin_without_context();
    if (e || !context)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *context = current_context();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return THROUGH(cudaGetDevice(device));
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    CUresult e = driver_begin();
    if (e || !flags)
        return e ? e : CUDA_ERROR_INVALID_VALUE;
    *flags = find_context(current_context())->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    CUresult e = driver_begin_without_context();
    if (e || !version || (context && !find_context(context)))
        return e ? e : version ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    *version = 3020; // as every driver since then
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    return THROUGH(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    return THROUGH(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    return THROUGH(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    return THROUGH(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    return THROUGH(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return THROUGH(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    const struct context *c = find_context(peer);
    return c ? THROUGH(cudaDeviceEnablePeerAccess(c->device, flags)) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    const struct context *c = find_context(peer);
    return c ? THROUGH(cudaDeviceDisablePeerAccess(c->device)) : CUDA_ERROR_INVALID_CONTEXT;
}
