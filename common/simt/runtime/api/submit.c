// Giving work to streams (submit.h).
#include "runtime/api/submit.h"

cudaError_t submit(cudaStream_t stream, struct work *work, bool waits)
{
    struct stream *s = find_stream(stream);
    if (!s)
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
