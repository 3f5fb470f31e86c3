// Queries about pointers, host memory that the program registers, advice on managed memory.
#include "memory/other_host.h"
#include "report/report.h"
#include "runtime/order/order.h"

// ---- registered host memory

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    const unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    cudaError_t e = enter();
    if (e || !p || !size || flags & ~known)
        return leave(e ? e : cudaErrorInvalidValue);
    if (serves_other_host()) { // the registered memory is not in this process
        complain("cudaHostRegister is not supported where a program is graded: use cudaMallocHost");
        return leave(cudaErrorNotSupported);
    }
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

// Host memory that kernels can reach: from cudaMallocHost, cudaMallocManaged or cudaHostRegister.
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

// ---- queries

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
