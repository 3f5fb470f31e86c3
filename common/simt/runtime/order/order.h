// The order between streams, events and the host, as CUDA promises it. The machine itself runs all work immediately
// (check/streams.h).
#pragma once

#include "runtime/order/streams.h"
#include "runtime/tasks/work.h"

// Call these two with the streams locked.
void order_record(const struct stream *s, struct event *e);
void order_wait(struct stream *s, const struct event *e);

void host_waits_for_stream(const struct stream *s);

// Runs a host function of the stream. What it writes to page-locked memory counts as written by an operation of the
// stream.
cudaError_t run_host_in_order(struct stream *s, const struct work *w);

void host_waits_for_event(const struct event *e);
void host_waits_for_device(int device);
bool host_queries_stream(struct stream *s); // whether its work is known to have ended; true at the second query
bool host_queries_event(struct event *e);

// Runs device work of the stream, and checks it against what may overlap it.
cudaError_t run_in_order(struct stream *s, const struct work *w, bool waits);

// For memory that the stream allocates or is about to free: all of it counts as written by `call`.
void order_memory(struct stream *s, void *p, const char *call);

// For pool memory that the host frees by `call`, which waits for nothing.
void order_release(void *p, const char *call);

// The same for a graph: it starts with what the stream waits for, its nodes run one by one, and the stream continues
// when all have ended. Each node has a timeline: a predecessor's, or a new one, which graph_ends returns.
void graph_starts(const struct stream *s, struct order *start);
uint32_t graph_branches(void);
cudaError_t run_node(const struct stream *s, const struct work *w, uint32_t timeline, struct order *order);
void graph_ends(struct stream *s, const struct order *end, const uint32_t *timelines, size_t count);
void order_join(struct order *into, const struct order *from);
