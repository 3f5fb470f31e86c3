// Stream capture: streams whose work is recorded into a graph.
#pragma once

#include "runtime/capture/graph.h"

cudaError_t begin_capture(struct stream *s, enum cudaStreamCaptureMode mode);
// Begins a capture into a graph of the program, after these nodes.
cudaError_t begin_capture_into(struct stream *s, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                               enum cudaStreamCaptureMode mode);
bool captures_into(const struct stream *s);
// The nodes that the stream's next node follows, valid until the next call, and their graph.
size_t capture_front(struct stream *s, cudaGraph_t *graph, const cudaGraphNode_t **nodes);
cudaError_t move_front(struct stream *s, const cudaGraphNode_t *nodes, size_t count, bool add); // else these alone
// Ends it: its graph, with a new handle unless it is the program's.
cudaError_t take_graph(struct stream *s, cudaGraph_t *out);
enum cudaStreamCaptureStatus capture_status(struct stream *s, unsigned long long *id); // id may be NULL
enum cudaStreamCaptureMode exchange_capture_mode(enum cudaStreamCaptureMode mode); // the thread's; returns the old one

// The error that a call must return if captures forbid it: 0, or cudaErrorStreamCaptureUnsupported. The second is for a
// call that uses the device's legacy stream, which waits for all blocking streams.
cudaError_t check_unsafe_in_capture(void);
cudaError_t check_legacy_in_capture(int device);
cudaError_t capture_work(struct stream *s, const struct work *work);
cudaError_t capture_event(struct stream *s, struct event *e);
cudaError_t capture_wait(struct stream *s, struct event *e);
cudaError_t break_capture(struct stream *s); // after a call that a capturing stream forbids
void end_captures(int device);               // the device is reset
void leave_capture(struct stream *s);        // the stream is about to go away
