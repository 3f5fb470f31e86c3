// The order between streams, events and the host: what CUDA promises, not what this machine does, which runs everything
// at once (check/streams.h).
#pragma once

#include "runtime/order/streams.h"
#include "runtime/tasks/work.h"

// These two with the streams locked.
void order_record(const struct stream *s, struct event *e);
void order_wait(struct stream *s, const struct event *e);

void host_waits_for_stream(const struct stream *s);
void callback_follows_stream(const struct stream *s); // the memory that it may touch exists
void host_waits_for_event(const struct event *e);
void host_waits_for_device(int device);
bool host_queries_stream(struct stream *s); // whether it is known to be over; the second time it is
bool host_queries_event(struct event *e);

// Runs device work of the stream, and checks it against what may overlap it.
cudaError_t run_in_order(struct stream *s, const struct work *w, bool waits);

// Memory that the stream allocates or is about to free: all of it counts as written by `call`.
void order_memory(struct stream *s, void *p, const char *call);

// Memory of a pool that the host frees by `call`, which waits for nothing.
void order_release(void *p, const char *call);

// The same for a graph: it starts with what the stream waits for; its nodes run one by one; the stream goes on when all
// are over. Each node is on a timeline: that of a node before it, or a new one, which graph_ends gives back.
void graph_starts(const struct stream *s, struct order *start);
uint32_t graph_branches(void);
cudaError_t run_node(const struct stream *s, const struct work *w, uint32_t timeline, struct order *order);
void graph_ends(struct stream *s, const struct order *end, const uint32_t *timelines, size_t count);
void order_join(struct order *into, const struct order *from);
