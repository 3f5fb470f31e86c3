// Stream capture. Nodes are kept in the order of capture, which respects every dependency.
#include "runtime/capture/capture.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

struct capture {
    struct graph *graph;
    cudaGraph_t into;       // the program's graph that the capture extends; NULL: a new graph
    cudaGraph_t own;        // handle of the graph, once requested
    cudaGraphNode_t *front; // the part of the graph that the program has seen
    size_t first;           // number of nodes in that part
    struct stream *origin;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
    unsigned long long id;
    bool broken;
    struct capture *next;
    struct stream **members; // all streams that take part
    size_t member_count;
};

static struct {
    struct capture *captures;
    unsigned long long ids;
} graphs;

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static void set_front(struct stream *s, struct node *n)
{
    free_front(&s->front, &s->front_count);
    add_to_front(&s->front, &s->front_count, n);
}

static void join(struct capture *c, struct stream *s)
{
    s->capture = c;
    c->members = alloc_resize(c->members, c->member_count + 1, sizeof *c->members);
    c->members[c->member_count++] = s;
}

// Whether a capture forbids the calling thread an unsafe call.
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

// Ends the capture: its streams run their work again. keep: the graph remains.
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
    if (!keep && c->own)
        handle_close(HANDLE_GRAPH, c->own);
    if (!keep && !c->into)
        free_graph(c->graph);
    free(c->front);
    free(c->members);
    free(c);
}

static bool is_in_front(const struct stream *s, const struct node *n)
{
    for (size_t k = 0; k < s->front_count; k++)
        if (s->front[k] == n)
            return true;
    return false;
}

// All that the stream has captured precedes the other stream's work, or what it captures next.
static bool is_joined(const struct capture *c, const struct stream *s)
{
    for (size_t i = 0; i < s->front_count; i++) {
        bool joined = s->front[i]->followed;
        for (size_t k = 0; k < c->member_count && !joined; k++)
            joined = c->members[k] != s && is_in_front(c->members[k], s->front[i]);
        if (!joined)
            return false;
    }
    return true;
}

void end_captures(int device)
{
    lock_streams();
    for (struct capture *c = graphs.captures, *next; c; c = next) {
        next = c->next;
        if (c->origin->device == device)
            end_capture(c, false);
    }
    unlock_streams();
}

// A stream is destroyed. Its capture ends, or continues without it if the other streams have joined it; else it has
// failed.
void leave_capture(struct stream *s)
{
    lock_streams();
    struct capture *c = s->capture;
    bool joined = c && is_joined(c, s);
    for (size_t i = 0; c && i < c->member_count; i++)
        if (c->members[i] == s)
            c->members[i--] = c->members[--c->member_count];
    if (c && c->origin == s)
        end_capture(c, false);
    else if (c && !joined)
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

// The capture in which the event was recorded, if that is still active.
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
    if (!c) // recorded outside the capture, or in one that has ended
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

static struct capture *start_capture(struct stream *s, struct graph *g, enum cudaStreamCaptureMode mode)
{
    struct capture *c = alloc_zeroed(1, sizeof *c);
    c->graph = g ? g : alloc_zeroed(1, sizeof *c->graph);
    c->first = c->graph->count;
    c->origin = s;
    c->mode = mode;
    c->thread = pthread_self();
    c->id = ++graphs.ids;
    c->next = graphs.captures;
    graphs.captures = c;
    join(c, s);
    return c;
}

cudaError_t begin_capture(struct stream *s, enum cudaStreamCaptureMode mode)
{
    lock_streams();
    cudaError_t e = s->capture ? cudaErrorIllegalState : cudaSuccess;
    if (!e)
        start_capture(s, NULL, mode);
    unlock_streams();
    return e;
}

cudaError_t begin_capture_into(struct stream *s, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                               enum cudaStreamCaptureMode mode)
{
    struct graph *g = handle_object(HANDLE_GRAPH, graph);
    cudaError_t e = g && (!count || after) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < count; i++) {
        const struct node *n = handle_object(HANDLE_NODE, after[i]);
        e = n && n->graph == g ? cudaSuccess : cudaErrorInvalidValue;
    }
    lock_streams();
    if (!e && s->capture)
        e = cudaErrorIllegalState;
    if (!e) {
        start_capture(s, g, mode)->into = graph;
        for (size_t i = 0; i < count; i++)
            add_to_front(&s->front, &s->front_count, handle_object(HANDLE_NODE, after[i]));
    }
    unlock_streams();
    return e;
}

bool captures_into(const struct stream *s)
{
    lock_streams();
    bool into = s->capture && s->capture->into;
    unlock_streams();
    return into;
}

// Whether all captured work has been joined into the stream that began the capture.
static bool all_joined(const struct capture *c)
{
    for (size_t i = c->first; i < c->graph->count; i++) {
        const struct node *n = c->graph->nodes[i];
        if (!n->followed && !is_in_front(c->origin, n))
            return false;
    }
    return true;
}

static cudaGraph_t handle_of(struct capture *c)
{
    if (!c->into && !c->own)
        c->own = handle_open(HANDLE_GRAPH, c->graph);
    return c->into ? c->into : c->own;
}

size_t capture_front(struct stream *s, cudaGraph_t *graph, const cudaGraphNode_t **nodes)
{
    lock_streams();
    struct capture *c = s->capture;
    size_t count = c ? s->front_count : 0;
    if (c) {
        c->front = alloc_resize(c->front, count + 1, sizeof *c->front);
        for (size_t i = 0; i < count; i++)
            c->front[i] = s->front[i]->handle;
        *graph = handle_of(c);
        *nodes = c->front;
    }
    unlock_streams();
    return count;
}

cudaError_t move_front(struct stream *s, const cudaGraphNode_t *nodes, size_t count, bool add)
{
    lock_streams();
    const struct capture *c = s->capture;
    cudaError_t e = !c ? cudaErrorIllegalState : c->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    for (size_t i = 0; !e && i < count; i++) {
        const struct node *n = handle_object(HANDLE_NODE, nodes[i]);
        e = n && n->graph == c->graph ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (!e && !add)
        free_front(&s->front, &s->front_count);
    for (size_t i = 0; !e && i < count; i++)
        add_to_front(&s->front, &s->front_count, handle_object(HANDLE_NODE, nodes[i]));
    unlock_streams();
    return e;
}

static cudaError_t end_and_take(struct stream *s, cudaGraph_t *out)
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
        *out = handle_of(c);
    end_capture(c, !e);
    return e;
}

cudaError_t take_graph(struct stream *s, cudaGraph_t *out)
{
    lock_streams();
    cudaError_t e = end_and_take(s, out);
    unlock_streams();
    return e;
}

enum cudaStreamCaptureStatus capture_status(struct stream *s, unsigned long long *id)
{
    lock_streams();
    enum cudaStreamCaptureStatus status = !s->capture          ? cudaStreamCaptureStatusNone
                                          : s->capture->broken ? cudaStreamCaptureStatusInvalidated
                                                               : cudaStreamCaptureStatusActive;
    if (s->capture && id)
        *id = s->capture->id;
    unlock_streams();
    return status;
}

enum cudaStreamCaptureMode exchange_capture_mode(enum cudaStreamCaptureMode mode)
{
    enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = mode;
    return old;
}
