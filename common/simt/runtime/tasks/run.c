// Running work (work.h).
#include "runtime/tasks/work.h"

// The host cannot touch device memory but for the time of such work.
cudaError_t run_device_work(const struct work *w, struct operation *op)
{
    if (w->kind == WORK_ALLOCATE || w->kind == WORK_RELEASE) {
        memory_mark_unwritten((uint64_t)(uintptr_t)w->memory.p, w->memory.size);
        return cudaSuccess;
    }
    memory_open();
    cudaError_t e = w->kind == WORK_KERNEL ? run_kernel(&w->kernel, w->device, op)
                    : w->kind == WORK_COPY ? run_copy(&w->copy)
                                           : run_fill(&w->fill);
    memory_close();
    return e;
}

cudaError_t run_host_work(const struct work *w)
{
    if (w->kind == WORK_HOST)
        w->host.call(w->host.data);
    if (w->kind == WORK_CALLBACK)
        w->host.callback(w->host.stream, cudaSuccess, w->host.data);
    return cudaSuccess;
}
