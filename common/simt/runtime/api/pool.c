// Calls for memory pools, and allocation in stream order.
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "runtime/api/submit.h"

static struct {
    pthread_mutex_t lock;
    cudaMemPool_t default_pool[MAX_DEVICES], pool[MAX_DEVICES];
} pools = {.lock = PTHREAD_MUTEX_INITIALIZER};

static cudaMemPool_t open_pool(int device, bool is_default)
{
    struct pool *p = alloc_zeroed(1, sizeof *p);
    p->device = device;
    p->is_default = is_default;
    for (int i = cudaMemPoolReuseFollowEventDependencies; i <= cudaMemPoolReuseAllowInternalDependencies; i++)
        p->values[i] = 1;
    return handle_open(HANDLE_POOL, p);
}

static cudaMemPool_t default_pool(int device)
{
    pthread_mutex_lock(&pools.lock);
    if (!pools.default_pool[device])
        pools.default_pool[device] = open_pool(device, true);
    cudaMemPool_t pool = pools.default_pool[device];
    pthread_mutex_unlock(&pools.lock);
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
    pthread_mutex_lock(&pools.lock);
    if (find_pool(pools.pool[device]))
        *out = pools.pool[device];
    pthread_mutex_unlock(&pools.lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    const struct pool *p = find_pool(pool);
    if (!is_device(device) || !p || p->device != device)
        return leave(is_device(device) ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    pthread_mutex_lock(&pools.lock);
    pools.pool[device] = pool;
    pthread_mutex_unlock(&pools.lock);
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

// Changes nothing: all devices reach all memory.
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
