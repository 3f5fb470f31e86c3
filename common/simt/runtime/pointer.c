// Questions about pointers, and memory that is had in other ways than by cudaMalloc: pools, host memory that the
// program registers, advice on managed memory.
#include <pthread.h>
#include <stdlib.h>

#include "report/report.h"
#include "runtime/runtime.h"

#define POOL_ATTRIBUTES (cudaMemPoolAttrUsedMemHigh + 1)

static struct {
    pthread_mutex_t lock;
    cudaMemPool_t default_pool[MAX_DEVICES], pool[MAX_DEVICES];
} pointers = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- registered host memory

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                           cudaHostRegisterReadOnly;
    cudaError_t e = enter();
    if (e || !p || !size || flags & ~known)
        return leave(e ? e : cudaErrorInvalidValue);
    bool fresh = memory_register((uint64_t)(uintptr_t)p, size, flags, current_device());
    return leave(fresh ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t e = enter_and_wait();
    host_waits_for_device(current_device());
    if (!e && !memory_unregister((uint64_t)(uintptr_t)p))
        e = cudaErrorHostMemoryNotRegistered;
    return leave(e);
}

// Memory of the host that kernels reach: of cudaMallocHost, cudaMallocManaged or cudaHostRegister.
static const struct allocation *host_allocation(const void *p)
{
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    bool shared = a && (a->kind == MEMORY_HOST || a->kind == MEMORY_MANAGED || a->kind == MEMORY_REGISTERED);
    return shared && a->live ? a : NULL;
}

cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned int flags)
{
    cudaError_t e = enter();
    if (e || !out || flags)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = host_allocation(p) ? p : NULL;
    return leave(*out ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *p)
{
    cudaError_t e = enter();
    if (e || !flags)
        return leave(e ? e : cudaErrorInvalidValue);
    const struct allocation *a = host_allocation(p);
    *flags = a && a->kind == MEMORY_REGISTERED ? a->flags : cudaHostAllocMapped;
    return leave(a ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- questions

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    cudaError_t e = enter();
    if (e || !out)
        return leave(e ? e : cudaErrorInvalidValue);
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    memset(out, 0, sizeof *out);
    out->type = cudaMemoryTypeUnregistered;
    out->device = -2; // cudaInvalidDeviceId
    if (a && a->live && (uint64_t)(uintptr_t)p - a->base < a->size) {
        out->type = a->kind == MEMORY_MANAGED ? cudaMemoryTypeManaged
                    : host_allocation(p)      ? cudaMemoryTypeHost
                                              : cudaMemoryTypeDevice;
        out->device = a->device;
        out->devicePointer = (void *)(uintptr_t)p;
        out->hostPointer = host_allocation(p) ? (void *)(uintptr_t)p : NULL;
    } else if (!a)
        out->hostPointer = (void *)(uintptr_t)p;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    cudaError_t e = enter_and_wait();
    if (e || !left || !all)
        return leave(e ? e : cudaErrorInvalidValue);
    *all = memory_capacity();
    *left = memory_capacity() - memory_used(current_device());
    return cudaSuccess;
}

// Advice needs a range of managed memory.
static cudaError_t advise(const void *p, size_t n)
{
    cudaError_t e = enter();
    const struct allocation *a = host_allocation(p);
    bool managed = a && a->kind == MEMORY_MANAGED && n && memory_holds((uint64_t)(uintptr_t)p, n);
    return leave(e ? e : managed ? cudaSuccess : cudaErrorInvalidValue);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, struct cudaMemLocation to, unsigned int flags,
                                 cudaStream_t stream)
{
    (void)to, (void)flags;
    return find_stream(stream) ? advise(p, n) : leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    (void)advice, (void)location;
    return advise(p, n);
}
#else
cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t stream)
{
    (void)device;
    return find_stream(stream) ? advise(p, n) : leave(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device)
{
    (void)advice, (void)device;
    return advise(p, n);
}
#endif
PER_THREAD(cudaMemPrefetchAsync, _ptsz);

// ---- pools: all memory comes from the device's arena; a pool only remembers its attributes

struct pool {
    int device;
    bool is_default;
    uint64_t values[POOL_ATTRIBUTES];
    uint64_t bytes, high; // that are taken from it; the most that were
};

static cudaMemPool_t open_pool(int device, bool is_default)
{
    struct pool *p = calloc(1, sizeof *p);
    p->device = device;
    p->is_default = is_default;
    for (int i = cudaMemPoolReuseFollowEventDependencies; i <= cudaMemPoolReuseAllowInternalDependencies; i++)
        p->values[i] = 1;
    return handle_open(HANDLE_POOL, p);
}

static struct pool *find_pool(cudaMemPool_t pool)
{
    return handle_object(HANDLE_POOL, pool);
}

static cudaMemPool_t default_pool(int device)
{
    pthread_mutex_lock(&pointers.lock);
    if (!pointers.default_pool[device])
        pointers.default_pool[device] = open_pool(device, true);
    cudaMemPool_t pool = pointers.default_pool[device];
    pthread_mutex_unlock(&pointers.lock);
    return pool;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    if (!out || !is_device(device))
        return leave(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *out = default_pool(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    cudaError_t e = cudaDeviceGetDefaultMemPool(out, device);
    if (e)
        return e;
    pthread_mutex_lock(&pointers.lock);
    if (find_pool(pointers.pool[device]))
        *out = pointers.pool[device];
    pthread_mutex_unlock(&pointers.lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    const struct pool *p = find_pool(pool);
    if (!is_device(device) || !p || p->device != device)
        return leave(is_device(device) ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    pthread_mutex_lock(&pointers.lock);
    pointers.pool[device] = pool;
    pthread_mutex_unlock(&pointers.lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    cudaError_t e = enter();
    if (e || !out || !props || props->location.type != cudaMemLocationTypeDevice || !is_device(props->location.id))
        return leave(e ? e : cudaErrorInvalidValue);
    *out = open_pool(props->location.id, false);
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct pool *p = find_pool(pool);
    if (!p || p->is_default)
        return leave(cudaErrorInvalidValue);
    handle_close(HANDLE_POOL, pool);
    free(p);
    return cudaSuccess;
}

// The first three attributes are ints, the others 64-bit numbers.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct pool *p = find_pool(pool);
    if (!p || !value || (int)attribute < 1 || (int)attribute >= POOL_ATTRIBUTES)
        return leave(cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
        p->values[attribute] = *(int *)value != 0;
    else
        p->values[attribute] = *(uint64_t *)value;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    const struct pool *p = find_pool(pool);
    if (!p || !value || (int)attribute < 1 || (int)attribute >= POOL_ATTRIBUTES)
        return leave(cudaErrorInvalidValue);
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
        *(int *)value = (int)p->values[attribute];
    else
        *(uint64_t *)value = attribute == cudaMemPoolAttrReleaseThreshold ? p->values[attribute]
                             : attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh
                                 ? p->high
                                 : p->bytes;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep;
    return leave(find_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

// All devices reach all memory.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n)
{
    return leave(find_pool(pool) && (list || !n) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    if (!flags || !location || !find_pool(pool))
        return leave(cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

// ---- allocation in stream order

static void take_from_pool(cudaMemPool_t pool, const void *memory)
{
    struct allocation *a = memory_find((uint64_t)(uintptr_t)memory);
    struct pool *p = find_pool(pool);
    pthread_mutex_lock(&pointers.lock);
    a->pool = pool;
    p->bytes += a->size;
    p->high = p->bytes > p->high ? p->bytes : p->high;
    pthread_mutex_unlock(&pointers.lock);
}

void back_to_pool(const struct allocation *a)
{
    struct pool *p = a->pool ? find_pool((cudaMemPool_t)a->pool) : NULL;
    pthread_mutex_lock(&pointers.lock);
    if (p)
        p->bytes -= a->size;
    pthread_mutex_unlock(&pointers.lock);
}

static cudaError_t allocate_in_order(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream, const char *call)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    struct work work;
    if (e || !s)
        return e ? e : cudaErrorInvalidResourceHandle;
    if (is_capturing(s)) {
        e = out ? read_memory(WORK_ALLOCATE, NULL, size, s->device, &work) : cudaErrorInvalidValue;
        e = e ? e : capture_work(s, &work);
        if (!e)
            *out = work.memory.p;
        return e;
    }
    e = allocate(out, size, MEMORY_DEVICE, s->device);
    if (!e && !pool)
        e = cudaDeviceGetMemPool(&pool, s->device);
    if (!e && *out) {
        take_from_pool(pool, *out);
        order_memory(s, *out, call);
    }
    return e;
}

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream)
{
    return leave(allocate_in_order(out, size, NULL, stream, "cudaMallocAsync"));
}
PER_THREAD(cudaMallocAsync, _ptsz);

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    if (!find_pool(pool))
        return leave(cudaErrorInvalidValue);
    return leave(allocate_in_order(out, size, pool, stream, "cudaMallocFromPoolAsync"));
}
PER_THREAD(cudaMallocFromPoolAsync, _ptsz);

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    struct work work;
    if (e || !s)
        return leave(e ? e : cudaErrorInvalidResourceHandle);
    if (is_capturing(s)) {
        e = read_memory(WORK_RELEASE, p, 0, s->device, &work);
        return leave(e ? e : capture_work(s, &work));
    }
    order_memory(s, p, "cudaFreeAsync");
    return leave(release(p, false, "cudaFreeAsync"));
}
PER_THREAD(cudaFreeAsync, _ptsz);
