// Calls for streams and events.
#include <stdlib.h>

#include "base/alloc.h"
#include "report/report.h"
#include "runtime/api/submit.h"

// ---- streams

static cudaError_t create_stream(cudaStream_t *out, unsigned flags, int priority)
{
    cudaError_t e = enter();
    if (e || !out || flags > cudaStreamNonBlocking)
        return leave(e ? e : cudaErrorInvalidValue);
    lock_streams();
    struct stream *s = open_stream(flags);
    unlock_streams();
    s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *out = handle_open(HANDLE_STREAM, s);
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return create_stream(out, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags)
{
    return create_stream(out, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned int flags, int priority)
{
    return create_stream(out, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t e = enter();
    struct stream *s = (uintptr_t)stream > (uintptr_t)cudaStreamPerThread ? find_stream(stream) : NULL;
    if (e || !s)
        return leave(e ? e : cudaErrorInvalidResourceHandle);
    leave_capture(s);
    handle_close(HANDLE_STREAM, stream);
    free_front(&s->front, &s->front_count);
    lock_streams();
    close_stream(s);
    unlock_streams();
    return cudaSuccess;
}

// Begins a call that waits for the stream: an error while the stream is captured.
static cudaError_t wait_for(cudaStream_t stream, bool asks)
{
    cudaError_t e = enter_and_wait();
    struct stream *s = find_stream(stream);
    if (e || !s)
        return e ? e : cudaErrorInvalidResourceHandle;
    if (is_capturing(s))
        return break_capture(s);
    if (asks)
        return host_queries_stream(s) ? cudaSuccess : cudaErrorNotReady;
    host_waits_for_stream(s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return leave(wait_for(stream, false));
}
PER_THREAD(cudaStreamSynchronize, _ptsz);

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return leave(wait_for(stream, true));
}
PER_THREAD(cudaStreamQuery, _ptsz);

// A stream's attributes, for the calls below.
static cudaError_t known_stream(cudaStream_t stream, const void *out, struct stream **s)
{
    cudaError_t e = enter();
    *s = find_stream(stream);
    return e ? e : !out ? cudaErrorInvalidValue : *s ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    struct stream *s;
    cudaError_t e = known_stream(stream, priority, &s);
    if (!e)
        *priority = s->priority;
    return leave(e);
}
PER_THREAD(cudaStreamGetPriority, _ptsz);

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    struct stream *s;
    cudaError_t e = known_stream(stream, flags, &s);
    if (!e)
        *flags = s->flags;
    return leave(e);
}
PER_THREAD(cudaStreamGetFlags, _ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    struct stream *s;
    cudaError_t e = known_stream(stream, id, &s);
    if (!e)
        *id = s->id;
    return leave(e);
}
PER_THREAD(cudaStreamGetId, _ptsz);

#if CUDART_VERSION >= 12080
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    struct stream *s;
    cudaError_t e = known_stream(stream, device, &s);
    if (!e)
        *device = s->device;
    return leave(e);
}
PER_THREAD(cudaStreamGetDevice, _ptsz);
#endif

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length, unsigned int flags)
{
    struct stream *s;
    (void)length, (void)flags;
    return leave(known_stream(stream, p, &s));
}
PER_THREAD(cudaStreamAttachMemAsync, _ptsz);

// Attributes of streams are hints about caches and scheduling.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value)
{
    struct stream *s;
    (void)attribute;
    return leave(known_stream(stream, value, &s));
}
PER_THREAD(cudaStreamSetAttribute, _ptsz);

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value)
{
    struct stream *s;
    cudaError_t e = known_stream(stream, value, &s);
    if (e)
        return leave(e);
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributePriority)
        value->priority = s->priority;
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetAttribute, _ptsz);

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    cudaError_t e = enter();
    return leave(e ? e : find_stream(to) && find_stream(from) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
PER_THREAD(cudaStreamCopyAttributes, _ptsz);

static cudaError_t submit_host(cudaStream_t stream, struct work *work)
{
    cudaError_t e = enter();
    return leave(e ? e : submit(stream, work, false));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void *data)
{
    struct work work = {.kind = WORK_HOST, .host = {.call = call, .data = data}};
    return call ? submit_host(stream, &work) : leave(cudaErrorInvalidValue);
}
PER_THREAD(cudaLaunchHostFunc, _ptsz);

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags)
{
    struct work work = {.kind = WORK_CALLBACK, .host = {.callback = callback, .stream = stream, .data = data}};
    struct stream *s = find_stream(stream);
    if (!callback || flags)
        return leave(cudaErrorInvalidValue);
    if (s && is_capturing(s))
        return leave(cudaErrorStreamCaptureUnsupported);
    return submit_host(stream, &work);
}
PER_THREAD(cudaStreamAddCallback, _ptsz);

// ---- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    cudaError_t e = enter();
    if (e || !out || flags & ~known)
        return leave(e ? e : cudaErrorInvalidValue);
    struct event *event = alloc_zeroed(1, sizeof *event);
    event->device = current_device();
    event->flags = flags;
    *out = handle_open(HANDLE_EVENT, event);
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t e = enter();
    struct event *known = find_event(event);
    if (!known)
        return leave(e ? e : cudaErrorInvalidResourceHandle);
    handle_close(HANDLE_EVENT, event);
    free_front(&known->front, &known->front_count);
    free(known);
    return leave(e);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    cudaError_t e = enter();
    struct event *known = find_event(event);
    struct stream *s = find_stream(stream);
    if (!e && known && s && known->device != s->device)
        complain("cudaEventRecord: the event belongs to device %d, its stream to device %d: "
                 "create the event while device %d is the current one",
                 known->device, s->device, s->device);
    if (e || !known || !s || known->device != s->device)
        return leave(e ? e : cudaErrorInvalidResourceHandle);
    if (is_capturing(s)) {
        const struct work work = {.kind = WORK_EVENT, .device = s->device, .event = event};
        return leave(flags & cudaEventRecordExternal ? capture_work(s, &work) : capture_event(s, known));
    }
    if (device_is_lost(s->device))
        return cudaSuccess;
    mark_event(known);
    lock_streams();
    order_record(s, known);
    unlock_streams();
    return cudaSuccess;
}
PER_THREAD(cudaEventRecordWithFlags, _ptsz);

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
PER_THREAD(cudaEventRecord, _ptsz);

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    cudaError_t e = enter();
    struct event *known = find_event(event);
    struct stream *s = find_stream(stream);
    if (e || !known || !s)
        return leave(e ? e : cudaErrorInvalidResourceHandle);
    if (flags & cudaEventWaitExternal)
        return cudaSuccess;
    if ((e = capture_wait(s, known)) || is_capturing(s))
        return leave(e);
    lock_streams();
    order_wait(s, known);
    unlock_streams();
    return cudaSuccess;
}
PER_THREAD(cudaStreamWaitEvent, _ptsz);

static cudaError_t event_done(cudaEvent_t event, bool asks)
{
    cudaError_t e = enter_and_wait();
    struct event *known = find_event(event);
    if (e || !known)
        return e ? e : cudaErrorInvalidResourceHandle;
    lock_streams();
    bool captured = known->capture != NULL;
    unlock_streams();
    if (captured)
        return cudaErrorCapturedEvent;
    if (asks)
        return host_queries_event(known) ? cudaSuccess : cudaErrorNotReady;
    host_waits_for_event(known);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return leave(event_done(event, true));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return leave(event_done(event, false));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = enter_and_wait();
    struct event *a = find_event(start), *b = find_event(end);
    if (e || !ms)
        return leave(e ? e : cudaErrorInvalidValue);
    if (!a || !b || (a->flags | b->flags) & cudaEventDisableTiming || a->device != b->device)
        return leave(cudaErrorInvalidResourceHandle);
    lock_streams();
    bool known = a->recorded && b->recorded;
    *ms = known ? (float)((b->time - a->time) * 1e3) : 0;
    unlock_streams();
    if (known && !host_queries_event(b)) {
        complain("cudaEventElapsedTime: the host has not waited for the second event, which may not have happened yet "
                 "(cudaErrorNotReady): call cudaEventSynchronize first");
        return leave(cudaErrorNotReady);
    }
    return leave(known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
