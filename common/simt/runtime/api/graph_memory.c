// Memory allocated by graphs; removal of nodes and edges.
#include "runtime/capture/capture.h"

#include <pthread.h>

#include "memory/memory.h"

// ---- memory: a graph's memory keeps its address until the program ends

static struct {
    pthread_mutex_t lock;
    uint64_t high[MAX_DEVICES];
} highest = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct sum {
    int device;
    uint64_t bytes;
};

static void add_bytes(const struct allocation *a, void *data)
{
    struct sum *s = data;
    s->bytes += a->kind == MEMORY_GRAPH && a->device == s->device ? a->size : 0;
}

static uint64_t bytes_of_graphs(int device)
{
    struct sum s = {.device = device};
    memory_each(add_bytes, &s);
    return s.bytes;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return leave(is_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    cudaError_t e = enter();
    if (e || !value || !is_device(device) || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return leave(e ? e : is_device(device) ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    uint64_t now = bytes_of_graphs(device);
    pthread_mutex_lock(&highest.lock);
    highest.high[device] = now > highest.high[device] ? now : highest.high[device];
    *(uint64_t *)value = high ? highest.high[device] : now;
    pthread_mutex_unlock(&highest.lock);
    return cudaSuccess;
}

// A high-water mark can be reset to 0.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    cudaError_t e = enter();
    bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (e || !value || !is_device(device) || !high || *(const uint64_t *)value)
        return leave(e ? e : is_device(device) ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    pthread_mutex_lock(&highest.lock);
    highest.high[device] = 0;
    pthread_mutex_unlock(&highest.lock);
    return cudaSuccess;
}

// ---- removal

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    cudaError_t e = enter();
    struct node *n = handle_object(HANDLE_NODE, node);
    if (e || !n)
        return leave(e ? e : cudaErrorInvalidValue);
    remove_node(n);
    return cudaSuccess;
}

static cudaError_t remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    cudaError_t e = enter();
    const struct graph *g = handle_object(HANDLE_GRAPH, graph);
    if (e || !g || (count && (!from || !to)))
        return leave(e ? e : cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        struct node *a = handle_object(HANDLE_NODE, from[i]), *b = handle_object(HANDLE_NODE, to[i]);
        if (!a || !b || a->graph != g || b->graph != g || !remove_before(b, a))
            return leave(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    (void)edges;
    return remove_edges(graph, from, to, count);
}
#else
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count)
{
    return remove_edges(graph, from, to, count);
}
#endif

// ---- the events of nodes

static cudaError_t get_event(cudaGraphNode_t node, enum work_kind kind, cudaEvent_t *out)
{
    const struct node *n = handle_object(HANDLE_NODE, node);
    if (!n || !out || n->work.kind != kind)
        return leave(cudaErrorInvalidValue);
    *out = n->work.event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out)
{
    return get_event(node, WORK_EVENT, out);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out)
{
    return get_event(node, WORK_WAIT, out);
}

static cudaError_t set_event(cudaGraphNode_t node, enum work_kind kind, cudaEvent_t event)
{
    struct node *n = handle_object(HANDLE_NODE, node);
    if (!n || n->work.kind != kind || !find_event(event))
        return leave(cudaErrorInvalidValue);
    n->work.event = event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(node, WORK_EVENT, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_event(node, WORK_WAIT, event);
}
