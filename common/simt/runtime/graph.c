// Stream capture and the graphs it makes. Nodes stand in the order in which they were captured, which respects every
// dependency; a launch runs them in that order.
#include <pthread.h>
#include <stdlib.h>

#include "report/report.h"
#include "runtime/graph.h"

struct capture {
    struct graph *graph;
    struct stream *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    unsigned long long id;
    bool broken;
    struct capture *next;
    struct stream **members; // every stream that takes part
    size_t member_count;
};

static struct {
    struct capture *captures;
    unsigned long long ids;
} graphs;

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

// ---- sets of nodes

void free_front(struct node ***front, size_t *count)
{
    free(*front);
    *front = NULL;
    *count = 0;
}

static void add_to_front(struct node ***front, size_t *count, struct node *n)
{
    for (size_t i = 0; i < *count; i++)
        if ((*front)[i] == n)
            return;
    *front = realloc(*front, (*count + 1) * sizeof **front);
    (*front)[(*count)++] = n;
}

void add_before(struct node *n, struct node *earlier)
{
    add_to_front(&n->before, &n->before_count, earlier);
    earlier->followed = true;
}

static void set_front(struct stream *s, struct node *n)
{
    free_front(&s->front, &s->front_count);
    add_to_front(&s->front, &s->front_count, n);
}

// ---- graphs

static void free_node(struct node *n)
{
    handle_close(HANDLE_NODE, n->handle);
    if (n->work.kind == WORK_KERNEL)
        free(n->work.kernel.args);
    if (n->child)
        handle_close(HANDLE_GRAPH, n->child);
    if (n->work.kind == WORK_CHILD)
        free_graph(n->work.child);
    free(n->before);
    free(n);
}

void free_graph(struct graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        free_node(g->nodes[i]);
    free(g->nodes);
    free(g);
}

struct node *add_node(struct graph *g, const struct work *work, cudaError_t *e)
{
    struct node *n = calloc(1, sizeof *n);
    n->work = *work;
    n->graph = g;
    if (work->kind == WORK_CHILD && !(n->work.child = copy_graph(work->child))) {
        free(n);
        *e = cudaErrorInvalidValue;
        return NULL;
    }
    if (work->kind == WORK_KERNEL && !(n->work.kernel.args = copy_args(&work->kernel, work->device))) {
        free(n);
        *e = cudaErrorInvalidDeviceFunction;
        return NULL;
    }
    n->handle = handle_open(HANDLE_NODE, n);
    g->nodes = realloc(g->nodes, (g->count + 1) * sizeof *g->nodes);
    g->nodes[g->count++] = n;
    return n;
}

// Copies the node into g if all that it depends on is there and it is not.
static bool copy_node(struct graph *g, struct node *from)
{
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < from->before_count; i++)
        if (!from->before[i]->copy)
            return false;
    if (from->copy || !(from->copy = add_node(g, &from->work, &e)))
        return false;
    from->copy->origin = from->handle;
    for (size_t i = 0; i < from->before_count; i++)
        add_before(from->copy, from->before[i]->copy);
    return true;
}

struct graph *copy_graph(const struct graph *from)
{
    struct graph *g = calloc(1, sizeof *g);
    for (size_t i = 0; i < from->count; i++)
        from->nodes[i]->copy = NULL;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < from->count; i++)
            more |= copy_node(g, from->nodes[i]);
    }
    if (g->count == from->count)
        return g;
    free_graph(g);
    return NULL;
}

// ---- capture

static void join(struct capture *c, struct stream *s)
{
    s->capture = c;
    c->members = realloc(c->members, (c->member_count + 1) * sizeof *c->members);
    c->members[c->member_count++] = s;
}

// Whether the calling thread must not do what could disturb a capture.
cudaError_t check_unsafe_in_capture(void)
{
    cudaError_t e = cudaSuccess;
    lock_streams();
    for (struct capture *c = graphs.captures; c; c = c->next) {
        bool mine = pthread_equal(c->thread, pthread_self());
        if (c->mode == cudaStreamCaptureModeRelaxed || thread_mode == cudaStreamCaptureModeRelaxed ||
            (!mine && (c->mode == cudaStreamCaptureModeThreadLocal || thread_mode != cudaStreamCaptureModeGlobal)))
            continue;
        c->broken = true;
        e = cudaErrorStreamCaptureUnsupported;
    }
    unlock_streams();
    return e;
}

cudaError_t check_legacy_in_capture(int device)
{
    cudaError_t e = cudaSuccess;
    lock_streams();
    for (struct capture *c = graphs.captures; c; c = c->next)
        for (size_t i = 0; i < c->member_count; i++)
            if (c->members[i]->device == device && !(c->members[i]->flags & cudaStreamNonBlocking)) {
                c->broken = true;
                e = cudaErrorStreamCaptureImplicit;
            }
    unlock_streams();
    return e;
}

cudaError_t break_capture(struct stream *s)
{
    lock_streams();
    if (s->capture)
        s->capture->broken = true;
    unlock_streams();
    return cudaErrorStreamCaptureUnsupported;
}

// Ends it: its streams run their work again. keep: the graph stays.
static void end_capture(struct capture *c, bool keep)
{
    struct capture **link = &graphs.captures;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    for (size_t i = 0; i < c->member_count; i++) {
        c->members[i]->capture = NULL;
        free_front(&c->members[i]->front, &c->members[i]->front_count);
    }
    if (!keep)
        free_graph(c->graph);
    free(c->members);
    free(c);
}

// A stream is destroyed: its capture ends, or cannot succeed any more.
void leave_capture(struct stream *s)
{
    lock_streams();
    struct capture *c = s->capture;
    for (size_t i = 0; c && i < c->member_count; i++)
        if (c->members[i] == s)
            c->members[i--] = c->members[--c->member_count];
    if (c && c->origin == s)
        end_capture(c, false);
    else if (c)
        c->broken = true;
    unlock_streams();
}

static cudaError_t append(struct stream *s, const struct work *work)
{
    struct capture *c = s->capture;
    cudaError_t e = cudaSuccess;
    if (!c || c->broken)
        return cudaErrorStreamCaptureInvalidated;
    struct node *n = add_node(c->graph, work, &e);
    if (!n)
        return e;
    for (size_t i = 0; i < s->front_count; i++)
        add_before(n, s->front[i]);
    set_front(s, n);
    return cudaSuccess;
}

cudaError_t capture_work(struct stream *s, const struct work *work)
{
    cudaError_t e = work->kind == WORK_KERNEL ? check_kernel(&work->kernel, work->device) : cudaSuccess;
    if (e)
        return e;
    lock_streams();
    e = append(s, work);
    unlock_streams();
    return e;
}

cudaError_t capture_event(struct stream *s, struct event *event)
{
    lock_streams();
    cudaError_t e = s->capture && !s->capture->broken ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
    if (!e) {
        free_front(&event->front, &event->front_count);
        for (size_t i = 0; i < s->front_count; i++)
            add_to_front(&event->front, &event->front_count, s->front[i]);
        event->capture = s->capture;
        event->capture_id = s->capture->id;
        event->recorded = false;
    }
    unlock_streams();
    return e;
}

// The capture that the event was recorded in, if that still goes on.
static struct capture *capture_of(const struct event *event)
{
    for (struct capture *c = graphs.captures; c; c = c->next)
        if (c == event->capture && c->id == event->capture_id)
            return c;
    return NULL;
}

static cudaError_t wait_in_capture(struct stream *s, struct event *event)
{
    struct capture *c = capture_of(event);
    if (!c) // recorded outside of it, or in one that has ended
        return s->capture ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    if (c->broken)
        return cudaErrorStreamCaptureInvalidated;
    if (s->capture && s->capture != c) {
        c->broken = s->capture->broken = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (s->capture != c)
        join(c, s);
    for (size_t i = 0; i < event->front_count; i++)
        add_to_front(&s->front, &s->front_count, event->front[i]);
    return cudaSuccess;
}

cudaError_t capture_wait(struct stream *s, struct event *event)
{
    lock_streams();
    cudaError_t e = wait_in_capture(s, event);
    unlock_streams();
    return e;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    if (e || !s || (unsigned)mode > cudaStreamCaptureModeRelaxed)
        return leave(e ? e : s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    if ((uintptr_t)stream <= (uintptr_t)cudaStreamLegacy)
        return leave(cudaErrorStreamCaptureUnsupported);
    lock_streams();
    if (s->capture)
        e = cudaErrorIllegalState;
    else {
        struct capture *c = calloc(1, sizeof *c);
        c->graph = calloc(1, sizeof *c->graph);
        c->origin = s;
        c->mode = mode;
        c->thread = pthread_self();
        c->id = ++graphs.ids;
        c->next = graphs.captures;
        graphs.captures = c;
        join(c, s);
    }
    unlock_streams();
    return leave(e);
}
PER_THREAD(cudaStreamBeginCapture, _ptsz);

// All that was captured must have been joined into the stream that began the capture.
static bool all_joined(const struct capture *c)
{
    for (size_t i = 0; i < c->graph->count; i++) {
        const struct node *n = c->graph->nodes[i];
        bool in_front = false;
        for (size_t k = 0; k < c->origin->front_count; k++)
            in_front |= c->origin->front[k] == n;
        if (!n->followed && !in_front)
            return false;
    }
    return true;
}

static cudaError_t take_graph(struct stream *s, cudaGraph_t *out)
{
    struct capture *c = s->capture;
    if (!c)
        return cudaErrorIllegalState;
    if (c->origin != s)
        return cudaErrorStreamCaptureUnmatched;
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        return cudaErrorStreamCaptureWrongThread;
    cudaError_t e = c->broken       ? cudaErrorStreamCaptureInvalidated
                    : all_joined(c) ? cudaSuccess
                                    : cudaErrorStreamCaptureUnjoined;
    if (!e)
        *out = handle_open(HANDLE_GRAPH, c->graph);
    end_capture(c, !e);
    return e;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    cudaError_t e = enter();
    struct stream *s = find_stream(stream);
    if (e || !out || !s)
        return leave(e ? e : out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    *out = NULL;
    lock_streams();
    e = take_graph(s, out);
    unlock_streams();
    return leave(e);
}
PER_THREAD(cudaStreamEndCapture, _ptsz);

static enum cudaStreamCaptureStatus capture_status(const struct stream *s)
{
    return !s->capture          ? cudaStreamCaptureStatusNone
           : s->capture->broken ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    cudaError_t e = enter();
    const struct stream *s = find_stream(stream);
    if (e || !status || !s)
        return leave(e ? e : status ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    lock_streams();
    *status = capture_status(s);
    unlock_streams();
    return cudaSuccess;
}
PER_THREAD(cudaStreamIsCapturing, _ptsz);

#if CUDART_VERSION >= 13000
// The nodes that the next one would follow stay valid until the capture goes on.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *count)
{
    cudaError_t e = cudaStreamIsCapturing(stream, status);
    const struct stream *s = find_stream(stream);
    if (e || *status == cudaStreamCaptureStatusNone)
        return e;
    if (graph || nodes || edges || count)
        return (cudaError_t)refuse_call("cudaStreamGetCaptureInfo for the nodes of a capture");
    if (id)
        *id = s->capture->id;
    return cudaSuccess;
}
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode old = thread_mode;
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return leave(cudaErrorInvalidValue);
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

// ---- instances

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph)
{
    cudaError_t e = enter();
    const struct graph *g = handle_object(HANDLE_GRAPH, graph);
    if (e || !out || !g)
        return leave(e ? e : cudaErrorInvalidValue);
    struct graph *copy = copy_graph(g);
    if (!copy)
        return leave(cudaErrorInvalidValue);
    *out = handle_open(HANDLE_EXEC, copy);
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    return instantiate(out, graph);
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *node, char *log, size_t size)
{
    (void)node, (void)log, (void)size;
    return instantiate(out, graph);
}
#endif

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    return instantiate(out, graph);
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphInstantiateParams *params)
{
    if (!params)
        return leave(cudaErrorInvalidValue);
    cudaError_t e = instantiate(out, graph);
    params->errNode_out = NULL;
    params->result_out = e ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return e;
}
PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);
#endif

// What the node waits for, and its timeline: true if that is a new one.
static bool begin_node(struct node *n, const struct order *start)
{
    struct node *mother = NULL;
    n->order = *start;
    n->continued = false;
    for (size_t i = 0; i < n->before_count; i++) {
        order_join(&n->order, &n->before[i]->order);
        mother = !mother && !n->before[i]->continued ? n->before[i] : mother;
    }
    n->timeline = mother ? mother->timeline : graph_branches();
    if (mother)
        mother->continued = true;
    return !mother;
}

// start: what its nodes wait for; *end takes up what is over when they are.
static cudaError_t run_nodes(const struct graph *g, struct stream *s, const struct order *start, struct order *end)
{
    cudaError_t e = cudaSuccess;
    uint32_t *timelines = malloc((g->count + 1) * sizeof *timelines);
    size_t count = 0;
    for (size_t i = 0; !e && i < g->count; i++) {
        struct node *n = g->nodes[i];
        if (begin_node(n, start))
            timelines[count++] = n->timeline;
        const struct order before = n->order;
        if (n->work.kind == WORK_CHILD)
            e = run_nodes(n->work.child, s, &before, &n->order);
        else if (!n->disabled && !device_is_lost(n->work.device))
            e = run_node(s, &n->work, n->timeline, &n->order);
        order_join(end, &n->order);
    }
    graph_ends(s, end, timelines, count);
    free(timelines);
    return e;
}

static cudaError_t run_graph(const struct graph *g, struct stream *s)
{
    struct order start, end = {{0}};
    graph_starts(s, &start);
    return run_nodes(g, s, &start, &end);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = enter();
    const struct graph *g = handle_object(HANDLE_EXEC, exec);
    struct stream *s = find_stream(stream);
    if (e || !g || !s)
        return leave(e ? e : g ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (!is_capturing(s))
        return leave(run_graph(g, s));
    const struct work child = {.kind = WORK_CHILD, .device = s->device, .child = (struct graph *)g};
    return leave(capture_work(s, &child));
}
PER_THREAD(cudaGraphLaunch, _ptsz);

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t e = enter();
    bool known = handle_object(HANDLE_EXEC, exec) && find_stream(stream);
    return leave(e ? e : known ? cudaSuccess : cudaErrorInvalidValue);
}
PER_THREAD(cudaGraphUpload, _ptsz);

static cudaError_t destroy(enum handle_kind kind, const void *handle)
{
    struct graph *g = handle_object(kind, handle);
    if (!g)
        return leave(cudaErrorInvalidValue);
    handle_close(kind, handle);
    free_graph(g);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return destroy(HANDLE_EXEC, exec);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return destroy(HANDLE_GRAPH, graph);
}

// Takes over the work of a graph with the same nodes, which usually comes from capturing the same code again.
static bool same_shape(const struct graph *a, const struct graph *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->nodes[i]->work.kind == b->nodes[i]->work.kind &&
               (a->nodes[i]->work.kind != WORK_CHILD || same_shape(a->nodes[i]->work.child, b->nodes[i]->work.child));
    return same;
}

// An instance's nodes are named, and switched off, by those of the graph that it was first made from.
static void keep_names(struct graph *g, const struct graph *first)
{
    for (size_t i = 0; i < g->count; i++) {
        g->nodes[i]->origin = first->nodes[i]->origin;
        g->nodes[i]->disabled = first->nodes[i]->disabled;
        if (g->nodes[i]->work.kind == WORK_CHILD)
            keep_names(g->nodes[i]->work.child, first->nodes[i]->work.child);
    }
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    struct graph *to = handle_object(HANDLE_EXEC, exec);
    const struct graph *from = handle_object(HANDLE_GRAPH, graph);
    if (!to || !from || !info)
        return leave(cudaErrorInvalidValue);
    memset(info, 0, sizeof *info);
    struct graph *copy = copy_graph(from), old = *to; // both are in the order that copies have
    if (!copy)
        return leave(cudaErrorInvalidValue);
    if (!same_shape(to, copy)) {
        free_graph(copy);
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
        return leave(cudaErrorGraphExecUpdateFailure);
    }
    keep_names(copy, to);
    *to = *copy;
    *copy = old;
    free_graph(copy);
    info->result = cudaGraphExecUpdateSuccess;
    return cudaSuccess;
}
#endif

// ---- questions

// Hands out the nodes of a graph, or only those that depend on none. *count: how many fit; then, how many there are.
static cudaError_t list_nodes(cudaGraph_t graph, bool roots, cudaGraphNode_t *out, size_t *count)
{
    const struct graph *g = handle_object(HANDLE_GRAPH, graph);
    size_t found = 0;
    if (!g || !count)
        return leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < g->count; i++) {
        if (roots && g->nodes[i]->before_count)
            continue;
        if (out && found < *count)
            out[found] = g->nodes[i]->handle;
        found++;
    }
    for (size_t i = found; out && i < *count; i++)
        out[i] = NULL;
    *count = found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count)
{
    return list_nodes(graph, false, out, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count)
{
    return list_nodes(graph, true, out, count);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    static const enum cudaGraphNodeType types[] = {
        [WORK_KERNEL] = cudaGraphNodeTypeKernel,  [WORK_COPY] = cudaGraphNodeTypeMemcpy,
        [WORK_FILL] = cudaGraphNodeTypeMemset,    [WORK_HOST] = cudaGraphNodeTypeHost,
        [WORK_CALLBACK] = cudaGraphNodeTypeHost,  [WORK_EVENT] = cudaGraphNodeTypeEventRecord,
        [WORK_WAIT] = cudaGraphNodeTypeWaitEvent, [WORK_EMPTY] = cudaGraphNodeTypeEmpty,
        [WORK_CHILD] = cudaGraphNodeTypeGraph,    [WORK_ALLOCATE] = cudaGraphNodeTypeMemAlloc,
        [WORK_RELEASE] = cudaGraphNodeTypeMemFree};
    const struct node *n = handle_object(HANDLE_NODE, node);
    if (!n || !type)
        return leave(cudaErrorInvalidValue);
    *type = types[n->work.kind];
    return cudaSuccess;
}
