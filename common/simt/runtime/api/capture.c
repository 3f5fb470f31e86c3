// Calls for stream capture.
#include "runtime/capture/capture.h"

static cudaError_t check_begin(cudaStream_t stream, const struct stream *s, enum cudaStreamCaptureMode mode)
{
    cudaError_t e = enter();
    if (e || !s || (unsigned)mode > cudaStreamCaptureModeRelaxed)
        return e ? e : s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return (uintptr_t)stream <= (uintptr_t)cudaStreamLegacy ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    struct stream *s = find_stream(stream);
    cudaError_t e = check_begin(stream, s, mode);
    return leave(e ? e : begin_capture(s, mode));
}
PER_THREAD(cudaStreamBeginCapture, _ptsz);

#if CUDART_VERSION >= 12030
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode)
{
    (void)edges;
    struct stream *s = find_stream(stream);
    cudaError_t e = check_begin(stream, s, mode);
    return leave(e ? e : begin_capture_into(s, graph, after, count, mode));
}
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);
#endif

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    cudaGraph_t known; // a graph that was captured into needs no handle
    if (e || !s || (!out && !captures_into(s)))
        return leave(e ? e : s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    out = out ? out : &known;
    *out = NULL;
    return leave(take_graph(s, out));
}
PER_THREAD(cudaStreamEndCapture, _ptsz);

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    if (e || !status || !s)
        return leave(e ? e : status ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    *status = capture_status(s, NULL);
    return cudaSuccess;
}
PER_THREAD(cudaStreamIsCapturing, _ptsz);

#if CUDART_VERSION >= 13000
// The nodes that the next node would follow; valid until the capture continues.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    cudaError_t e = cudaStreamIsCapturing(stream, status);
    if (e || *status == cudaStreamCaptureStatusNone)
        return e;
    cudaGraph_t in;
    const cudaGraphNode_t *front;
    size_t n = capture_front(find_stream(stream), &in, &front);
    if (graph)
        *graph = in;
    if (nodes)
        *nodes = front;
    if (edges)
        *edges = NULL; // no node has edge data
    if (count)
        *count = n;
    capture_status(find_stream(stream), id);
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);
#endif

#if CUDART_VERSION >= 13000
#define EDGES const cudaGraphEdgeData *edges,
#define IGNORE_EDGES (void)edges
#else
#define EDGES
#define IGNORE_EDGES
#endif

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, EDGES size_t count,
                                                unsigned int flags)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    IGNORE_EDGES;
    if (e || !s || (count && !nodes) || flags > cudaStreamSetCaptureDependencies)
        return leave(e ? e : s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    return leave(move_front(s, nodes, count, flags == cudaStreamAddCaptureDependencies));
}
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return leave(cudaErrorInvalidValue);
    *mode = exchange_capture_mode(*mode);
    return cudaSuccess;
}
