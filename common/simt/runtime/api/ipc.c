// Memory and events of other processes on this computer. A process's work has ended when its calls return, so an event
// of another process has nothing to wait for. Races between processes are not detected.
#include <unistd.h>

#include "memory/exported.h"
#include "memory/other_host.h"
#include "report/report.h"
#include "runtime/order/order.h"

#define MARK_MEMORY UINT64_C(0x6d656d20746d6973)
#define MARK_EVENT UINT64_C(0x65767420746d6973)

struct memory_handle {
    uint64_t mark;
    struct exported memory;
};

struct event_handle {
    uint64_t mark;
    int64_t process;
};

_Static_assert(sizeof(struct memory_handle) <= sizeof(cudaIpcMemHandle_t), "a handle of CUDA has 64 bytes");

static cudaError_t enter_process(void)
{
    cudaError_t e = enter_and_wait();
    if (e || !serves_other_host())
        return e;
    complain("memory of other processes is not supported where a program is graded");
    return cudaErrorNotSupported;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *p)
{
    struct memory_handle h = {.mark = MARK_MEMORY};
    cudaError_t e = enter_process();
    if (e || !out || !memory_export((uint64_t)(uintptr_t)p, &h.memory))
        return leave(e ? e : cudaErrorInvalidValue);
    memset(out, 0, sizeof *out);
    memcpy(out, &h, sizeof h);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned int flags)
{
    struct memory_handle h;
    cudaError_t e = enter_process();
    memcpy(&h, &handle, sizeof h);
    if (e || !out || flags & ~(unsigned)cudaIpcMemLazyEnablePeerAccess || h.mark != MARK_MEMORY)
        return leave(e ? e : cudaErrorInvalidValue);
    if (h.memory.process == getpid()) // as on a GPU: only another process's handle
        return leave(cudaErrorDeviceUninitialized);
    uint64_t address = memory_import(&h.memory, current_device());
    *out = (void *)(uintptr_t)address;
    return leave(address ? cudaSuccess : cudaErrorMapBufferObjectFailed);
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
    cudaError_t e = enter_process();
    host_waits_for_device(current_device());
    return leave(e ? e : memory_end_import((uint64_t)(uintptr_t)p) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event)
{
    const unsigned needed = cudaEventInterprocess | cudaEventDisableTiming;
    const struct event_handle h = {MARK_EVENT, getpid()};
    cudaError_t e = enter_process();
    const struct event *known = find_event(event);
    if (e || !out || !known)
        return leave(e ? e : out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if ((known->flags & needed) != needed)
        return leave(cudaErrorInvalidValue);
    memset(out, 0, sizeof *out);
    memcpy(out, &h, sizeof h);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle)
{
    struct event_handle h;
    memcpy(&h, &handle, sizeof h);
    if (!out || h.mark != MARK_EVENT)
        return leave(cudaErrorInvalidValue);
    return cudaEventCreateWithFlags(out, cudaEventDisableTiming);
}
