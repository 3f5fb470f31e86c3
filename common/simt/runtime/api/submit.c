// Giving work to streams (submit.h).
#include "runtime/api/submit.h"

#include "report/report.h"

// Copies and fills go to a stream of any device; a kernel runs on the current one, and so must its stream.
static bool is_of_another_device(const struct stream *s, const struct work *work)
{
    if (work->kind != WORK_KERNEL || s->device == current_device())
        return false;
    complain("launch of %s: its stream belongs to device %d, and device %d is the current one: call cudaSetDevice(%d) "
             "before the launch, or take a stream that was created on device %d",
             kernel_name(work->kernel.kernel->name), s->device, current_device(), s->device, current_device());
    return true;
}

cudaError_t submit(cudaStream_t stream, struct work *work, bool waits)
{
    struct stream *s = find_stream(stream);
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
    if (host)
        callback_follows_stream(s);
    return host ? run_host_work(work) : run_in_order(s, work, waits);
}

cudaError_t submit_copy(const struct copy_work *c, cudaStream_t stream, bool waits)
{
    struct work work = {.kind = WORK_COPY, .copy = *c};
    cudaError_t e = waits ? enter_and_wait() : enter();
    return leave(e ? e : submit(stream, &work, waits));
}
