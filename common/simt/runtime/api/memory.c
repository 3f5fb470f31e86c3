// Calls for device memory: allocation, copies, fills, symbols.
#include "memory/other_host.h"
#include "runtime/api/submit.h"

#define PITCH 512 // bytes: rows of cudaMallocPitch start at multiples of it

// ---- allocation

static cudaError_t allocate_now(void **out, size_t size, enum memory_kind kind)
{
    cudaError_t e = enter_and_wait();
    e = e ? e : check_unsafe_in_capture();
    return leave(e ? e : allocate(out, size, kind, current_device()));
}

static cudaError_t release_now(void *p, bool host, const char *call)
{
    cudaError_t e = enter_and_wait();
    e = e ? e : check_unsafe_in_capture();
    const struct allocation *a = memory_find((uint64_t)(uintptr_t)p);
    if (!e && a && a->pool) // of cudaMallocAsync
        order_release(p, call);
    else
        host_waits_for_device(current_device());
    return leave(e ? e : release(p, host, call));
}

cudaError_t cudaMalloc(void **out, size_t size)
{
    return allocate_now(out, size, MEMORY_DEVICE);
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned int flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return leave(cudaErrorInvalidValue);
    return allocate_now(out, size, MEMORY_MANAGED);
}

cudaError_t cudaMallocHost(void **out, size_t size)
{
    return allocate_now(out, size, MEMORY_HOST);
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned int flags)
{
    if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return leave(cudaErrorInvalidValue);
    return allocate_now(out, size, MEMORY_HOST);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    if (!pitch)
        return leave(cudaErrorInvalidValue);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return allocate_now(out, *pitch * height, MEMORY_DEVICE);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    if (!out)
        return leave(cudaErrorInvalidValue);
    size_t pitch = (extent.width + PITCH - 1) / PITCH * PITCH;
    *out = (struct cudaPitchedPtr){NULL, pitch, extent.width, extent.height};
    return allocate_now(&out->ptr, pitch * extent.height * extent.depth, MEMORY_DEVICE);
}

cudaError_t cudaFree(void *p)
{
    return release_now(p, false, "cudaFree");
}

cudaError_t cudaFreeHost(void *p)
{
    return release_now(p, true, "cudaFreeHost");
}

// ---- copies

// call: the call's name for reports; NULL: a cudaMemcpy.
static cudaError_t copy_bytes(const char *call, void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                              cudaStream_t stream, bool waits)
{
    const struct copy_work c = {to, from, n, n, 1, 1, n, 1, 1, kind, serves_other_host(), call};
    return submit_copy(&c, stream, waits);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    return copy_bytes(NULL, to, from, n, kind, NULL, true);
}
PER_THREAD(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_bytes(NULL, to, from, n, kind, stream, false);
}
PER_THREAD(cudaMemcpyAsync, _ptsz);

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n)
{
    if (!is_device(to_device) || !is_device(from_device))
        return leave(cudaErrorInvalidDevice);
    return copy_bytes(NULL, to, from, n, cudaMemcpyDeviceToDevice, NULL, true);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t n,
                                cudaStream_t stream)
{
    if (!is_device(to_device) || !is_device(from_device))
        return leave(cudaErrorInvalidDevice);
    return copy_bytes(NULL, to, from, n, cudaMemcpyDeviceToDevice, stream, false);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return submit_rows(to, to_pitch, from, from_pitch, width, height, kind, NULL, true);
}
PER_THREAD(cudaMemcpy2D, _ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return submit_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}
PER_THREAD(cudaMemcpy2DAsync, _ptsz);

static cudaError_t copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waits)
{
    struct copy_work c;
    cudaError_t e = read_box(p, &c);
    return e ? leave(e) : submit_copy(&c, stream, waits);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_box(p, NULL, true);
}
PER_THREAD(cudaMemcpy3D, _ptds);

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_box(p, stream, false);
}
PER_THREAD(cudaMemcpy3DAsync, _ptsz);

// ---- fills

static cudaError_t fill(const struct fill_work *f, cudaStream_t stream, bool waits)
{
    struct work work = {.kind = WORK_FILL, .fill = *f};
    cudaError_t e = waits ? enter_and_wait() : enter();
    return leave(e ? e : submit(stream, &work, waits));
}

cudaError_t cudaMemset(void *to, int value, size_t n)
{
    return fill(&(struct fill_work){to, n, 1, n, 1, 1, (uint8_t)value, 1}, NULL, true);
}
PER_THREAD(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t stream)
{
    return fill(&(struct fill_work){to, n, 1, n, 1, 1, (uint8_t)value, 1}, stream, false);
}
PER_THREAD(cudaMemsetAsync, _ptsz);

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return fill(&(struct fill_work){to, pitch, height, width, height, 1, (uint8_t)value, 1}, NULL, true);
}
PER_THREAD(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return fill(&(struct fill_work){to, pitch, height, width, height, 1, (uint8_t)value, 1}, stream, false);
}
PER_THREAD(cudaMemset2DAsync, _ptsz);

static cudaError_t fill_box(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t stream, bool waits)
{
    const struct fill_work f = {p.ptr, p.pitch, p.ysize, e.width, e.height, e.depth, (uint8_t)value, 1};
    return fill(&f, stream, waits);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
    return fill_box(p, value, e, NULL, true);
}
PER_THREAD(cudaMemset3D, _ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t stream)
{
    return fill_box(p, value, e, stream, false);
}
PER_THREAD(cudaMemset3DAsync, _ptsz);

// ---- symbols

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    uint64_t address, size;
    cudaError_t e = enter();
    e = e ? e : locate_variable(symbol, &address, &size);
    if (!e)
        *out = (void *)(uintptr_t)address;
    return leave(e);
}

cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    uint64_t address, size;
    cudaError_t e = enter();
    e = e ? e : locate_variable(symbol, &address, &size);
    if (!e)
        *out = size;
    return leave(e);
}

// Address of byte `offset` of the symbol; the copy checks the range.
static cudaError_t symbol_byte(const void *symbol, size_t offset, uint8_t **out)
{
    uint64_t address, size;
    cudaError_t e = enter();
    e = e ? e : locate_variable(symbol, &address, &size);
    if (e)
        return e;
    *out = (uint8_t *)(uintptr_t)address + offset;
    return offset <= size ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t copy_to_symbol(const void *symbol, const void *from, size_t n, size_t offset,
                                  enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    uint8_t *to = NULL;
    cudaError_t e = symbol_byte(symbol, offset, &to);
    return e ? leave(e) : copy_bytes("cudaMemcpyToSymbol", to, from, n, kind, stream, waits);
}

static cudaError_t copy_from_symbol(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream, bool waits)
{
    uint8_t *from = NULL;
    cudaError_t e = symbol_byte(symbol, offset, &from);
    return e ? leave(e) : copy_bytes("cudaMemcpyFromSymbol", to, from, n, kind, stream, waits);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
    return copy_to_symbol(symbol, from, n, offset, kind, NULL, true);
}
PER_THREAD(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_to_symbol(symbol, from, n, offset, kind, stream, false);
}
PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
    return copy_from_symbol(to, symbol, n, offset, kind, NULL, true);
}
PER_THREAD(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    return copy_from_symbol(to, symbol, n, offset, kind, stream, false);
}
PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
