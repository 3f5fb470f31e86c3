// Every call that submits work to a stream comes here: the work is recorded if the stream is captured, otherwise it
// runs at once.
#include "runtime/api/submit.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/host_overlap.h"
#include "memory/memory.h"
#include "memory/other_host.h"
#include "report/host_line.h"
#include "report/report.h"

// Copies and fills may go to a stream of any device; a kernel's stream must belong to the current device.
static bool is_of_another_device(const struct stream *s, const struct work *work)
{
    if (work->kind != WORK_KERNEL || s->device == current_device())
        return false;
    complain("launch of %s: its stream belongs to device %d, and device %d is the current one: call cudaSetDevice(%d) "
             "before the launch, or take a stream that was created on device %d",
             kernel_name(work->kernel.kernel->name), s->device, current_device(), s->device, current_device());
    return true;
}

// ---- kernels that may wait for the host (exec/host_overlap.h)

struct concurrent_kernel {
    struct stream *stream;
    struct work work;
    uint64_t launch; // its <<<...>>>
};

static int run_concurrently(void *data)
{
    struct concurrent_kernel *k = data;
    host_launch(k->launch);
    cudaError_t e = run_in_order(k->stream, &k->work, false);
    free(k);
    return (int)e;
}

// Whether some code in the kernel's module polls with loads or atomics.
static bool has_polls(const struct module *m)
{
    for (uint32_t id = 0; id < m->origin_count; id++)
        if (m->origins[id].spins)
            return true;
    return false;
}

static cudaError_t run_now(struct stream *s, const struct work *work, bool waits)
{
    cudaError_t e = cudaSuccess;
    if (work->kind != WORK_KERNEL || other_host() || !memory_shares())
        return run_in_order(s, work, waits);
    const struct code *c = kernel_code(work->kernel.kernel, work->device, &e);
    if (!c)
        return e;
    if (!has_polls(c->module))
        return run_in_order(s, work, waits);
    struct concurrent_kernel *k = alloc_zeroed(1, sizeof *k);
    *k = (struct concurrent_kernel){s, *work, host_launch_now()};
    return (cudaError_t)overlap_run(run_concurrently, k);
}

cudaError_t submit(cudaStream_t stream, struct work *work, bool waits)
{
    struct stream *s = find_stream(stream);
    if (!s)
        complain("work for stream %p, which is none of this program: "
                 "never created, destroyed, or past the end of an array of streams?",
                 (void *)stream);
    if (!s || is_of_another_device(s, work))
        return cudaErrorInvalidResourceHandle;
    work->device = s->device;
    if (is_capturing(s))
        return waits ? break_capture(s) : capture_work(s, work);
    cudaError_t e = s->legacy ? check_legacy_in_capture(s->device) : cudaSuccess;
    if (!e && waits)
        e = check_unsafe_in_capture();
    if (e || device_is_lost(s->device))
        return e;
    bool host = work->kind == WORK_HOST || work->kind == WORK_CALLBACK;
    return host ? run_host_in_order(s, work) : run_now(s, work, waits);
}

cudaError_t submit_copy(const struct copy_work *c, cudaStream_t stream, bool waits)
{
    struct work work = {.kind = WORK_COPY, .copy = *c};
    cudaError_t e = waits ? enter_and_wait() : enter();
    e = !e && refuse_heap(c) ? cudaErrorInvalidValue : e;
    return leave(e ? e : submit(stream, &work, waits));
}

cudaError_t submit_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    const struct copy_work c = {.to = to,
                                .from = from,
                                .to_pitch = to_pitch,
                                .from_pitch = from_pitch,
                                .to_rows = height,
                                .from_rows = height,
                                .width = width,
                                .height = height,
                                .depth = 1,
                                .kind = kind,
                                .other_host = serves_other_host()};
    return submit_copy(&c, stream, waits);
}
