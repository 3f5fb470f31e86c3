// Graphs that a program builds node by node, and changes to the nodes of an instance.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "exec/condition.h"
#include "memory/other_host.h"
#include "report/report.h"
#include "runtime/capture/graph.h"

// ---- parameters

static cudaError_t read_kernel(const struct cudaKernelNodeParams *p, struct work *out)
{
    if (!p)
        return cudaErrorInvalidValue;
    struct kernel *k = find_kernel(p->func);
    if (!k)
        return WRONG_FUNCTION;
    if (p->extra) {
        complain("a kernel node of a graph with `extra` is not supported by the SIMT machine: use kernelParams");
        return cudaErrorNotSupported;
    }
    *out = (struct work){.kind = WORK_KERNEL,
                         .device = current_device(),
                         .kernel = {.kernel = k,
                                    .grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                    .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                    .shared = p->sharedMemBytes,
                                    .args = p->kernelParams}};
    return check_kernel(&out->kernel, out->device);
}

static cudaError_t read_copy(const struct cudaMemcpy3DParms *p, struct work *out)
{
    *out = (struct work){.kind = WORK_COPY, .device = current_device()};
    return read_box(p, &out->copy);
}

static cudaError_t read_bytes(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, struct work *out)
{
    *out = (struct work){.kind = WORK_COPY,
                         .device = current_device(),
                         .copy = {to, from, n, n, 1, 1, n, 1, 1, kind, serves_other_host()}};
    return cudaSuccess;
}

static cudaError_t read_fill(const struct cudaMemsetParams *p, struct work *out)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) || !p->width || !p->height)
        return cudaErrorInvalidValue;
    size_t width = p->width * p->elementSize;
    *out = (struct work){.kind = WORK_FILL,
                         .device = current_device(),
                         .fill = {p->dst, p->height > 1 ? p->pitch : width, p->height, width, p->height, 1,
                                  p->elementSize == 1 ? p->value & 0xff : p->value, p->elementSize}};
    return cudaSuccess;
}

static cudaError_t read_host(const struct cudaHostNodeParams *p, struct work *out)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *out = (struct work){.kind = WORK_HOST, .device = current_device(), .host = {.call = p->fn, .data = p->userData}};
    return cudaSuccess;
}

// Byte `offset` of a variable, as one end of a copy.
static cudaError_t read_symbol(const void *symbol, size_t n, size_t offset, uint8_t **out)
{
    uint64_t address, size;
    cudaError_t e = locate_variable(symbol, &address, &size);
    if (e || offset > size || n > size - offset)
        return e ? e : cudaErrorInvalidValue;
    *out = (uint8_t *)(uintptr_t)address + offset;
    return cudaSuccess;
}

static cudaError_t read_to_symbol(const void *symbol, const void *from, size_t n, size_t offset,
                                  enum cudaMemcpyKind kind, struct work *out)
{
    uint8_t *to;
    cudaError_t e = read_symbol(symbol, n, offset, &to);
    return e ? e : read_bytes(to, from, n, kind, out);
}

static cudaError_t read_from_symbol(void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                    struct work *out)
{
    uint8_t *from;
    cudaError_t e = read_symbol(symbol, n, offset, &from);
    return e ? e : read_bytes(to, from, n, kind, out);
}

static cudaError_t read_child(cudaGraph_t graph, struct work *out)
{
    struct graph *g = handle_object(HANDLE_GRAPH, graph);
    *out = (struct work){.kind = WORK_CHILD, .device = current_device(), .child = g};
    return g ? cudaSuccess : cudaErrorInvalidValue;
}

// ---- nodes

static struct node *find_node(cudaGraphNode_t node)
{
    return handle_object(HANDLE_NODE, node);
}

static cudaError_t depend(struct node *n, const cudaGraphNode_t *before, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct node *earlier = find_node(before[i]);
        if (!earlier || earlier->graph != n->graph || earlier == n)
            return cudaErrorInvalidValue;
        add_before(n, earlier);
    }
    return cudaSuccess;
}

// e: an error in the work, if any.
static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                       cudaError_t e, const struct work *work)
{
    struct graph *g = handle_object(HANDLE_GRAPH, graph);
    if (e || !out || !g || (count && !before))
        return leave(e ? e : cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (!find_node(before[i]) || find_node(before[i])->graph != g)
            return leave(cudaErrorInvalidValue);
    struct node *n = add_node(g, work, &e);
    if (!n)
        return leave(e);
    e = depend(n, before, count);
    *out = n->handle; // may be the position of `before`
    return leave(e);
}

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned int flags)
{
    cudaError_t e = enter();
    if (e || !out || flags)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = handle_open(HANDLE_GRAPH, alloc_zeroed(1, sizeof(struct graph)));
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    const struct work work = {.kind = WORK_EMPTY, .device = current_device()};
    return add(out, graph, before, count, cudaSuccess, &work);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child)
{
    struct work work;
    return add(out, graph, before, count, read_child(child, &work), &work);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, struct cudaMemAllocNodeParams *params)
{
    struct work work;
    if (!params || !is_device(params->poolProps.location.id))
        return leave(cudaErrorInvalidValue);
    cudaError_t e = read_memory(WORK_ALLOCATE, NULL, params->bytesize, params->poolProps.location.id, &work);
    params->dptr = e ? NULL : work.memory.p;
    return add(out, graph, before, count, e, &work);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                    size_t count, void *p)
{
    struct work work;
    cudaError_t e = p ? read_memory(WORK_RELEASE, p, 0, current_device(), &work) : cudaErrorInvalidValue;
    return add(out, graph, before, count, e, &work);
}

static cudaError_t add_event(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                             enum work_kind kind, cudaEvent_t event)
{
    const struct work work = {.kind = kind, .device = current_device(), .event = event};
    return add(out, graph, before, count, find_event(event) ? cudaSuccess : cudaErrorInvalidValue, &work);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                        size_t count, cudaEvent_t event)
{
    return add_event(out, graph, before, count, WORK_EVENT, event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                      size_t count, cudaEvent_t event)
{
    return add_event(out, graph, before, count, WORK_WAIT, event);
}

// ---- nodes of any kind

#if CUDART_VERSION >= 12040

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t graph, unsigned int first,
                                             unsigned int flags)
{
    cudaError_t e = enter();
    if (e || !out || !handle_object(HANDLE_GRAPH, graph) || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = condition_open(first, flags & cudaGraphCondAssignDefault);
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

// Graphs for the program to fill; their handles live as long as the node.
static void open_bodies(struct node *n, struct cudaConditionalNodeParams *p)
{
    n->bodies = alloc_zeroed(p->size, sizeof *n->bodies);
    for (unsigned i = 0; i < p->size; i++)
        n->bodies[i] = handle_open(HANDLE_GRAPH, n->work.condition.bodies[i]);
    p->phGraph_out = n->bodies;
}

static cudaError_t add_condition(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 struct cudaConditionalNodeParams *p)
{
    static const unsigned most[] = {[CONDITION_IF] = 2, [CONDITION_WHILE] = 1, [CONDITION_SWITCH] = 65536};
    if ((unsigned)p->type >= sizeof most / sizeof *most || !p->size || p->size > most[p->type] ||
        !condition_exists(p->handle))
        return leave(cudaErrorInvalidValue);
    const struct condition_work condition = {p->handle, (enum condition_kind)p->type, p->size, NULL};
    const struct work work = {.kind = WORK_CONDITION, .device = current_device(), .condition = condition};
    cudaError_t e = add(out, graph, before, count, cudaSuccess, &work);
    if (!e)
        open_bodies(find_node(*out), p);
    return e;
}

static cudaError_t add_kernel(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                              const struct cudaKernelNodeParamsV2 *p)
{
    const struct cudaKernelNodeParams params = {p->func,           p->gridDim,      p->blockDim,
                                                p->sharedMemBytes, p->kernelParams, p->extra};
    return cudaGraphAddKernelNode(out, graph, before, count, &params);
}

static cudaError_t add_fill(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                            const struct cudaMemsetParamsV2 *p)
{
    const struct cudaMemsetParams params = {p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
    return cudaGraphAddMemsetNode(out, graph, before, count, &params);
}

static cudaError_t add_memory(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                              struct cudaMemAllocNodeParamsV2 *p)
{
    struct cudaMemAllocNodeParams params = {.poolProps = p->poolProps, .bytesize = p->bytesize};
    cudaError_t e = cudaGraphAddMemAllocNode(out, graph, before, count, &params);
    p->dptr = params.dptr;
    return e;
}

static cudaError_t add_any(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                           struct cudaGraphNodeParams *p)
{
    const struct cudaHostNodeParams host = {p->host.fn, p->host.userData};
    switch ((int)p->type) {
    case cudaGraphNodeTypeKernel: return add_kernel(out, graph, before, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(out, graph, before, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return add_fill(out, graph, before, count, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(out, graph, before, count, &host);
    case cudaGraphNodeTypeGraph: return cudaGraphAddChildGraphNode(out, graph, before, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(out, graph, before, count);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(out, graph, before, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(out, graph, before, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: return add_memory(out, graph, before, count, &p->alloc);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(out, graph, before, count, p->free.dptr);
    case cudaGraphNodeTypeConditional: return add_condition(out, graph, before, count, &p->conditional);
    }
    complain("cudaGraphAddNode for nodes of type %d is not supported by the SIMT machine: leave the node out, "
             "or use a GPU",
             (int)p->type);
    return leave(cudaErrorNotSupported);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params)
{
    (void)edges;
    return params ? add_any(out, graph, before, count, params) : leave(cudaErrorInvalidValue);
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                             struct cudaGraphNodeParams *params)
{
    return params ? add_any(out, graph, before, count, params) : leave(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params)
{
    (void)edges;
    return cudaGraphAddNode(out, graph, before, count, params);
}
#endif
#endif

#if CUDART_VERSION >= 13000
#define EDGES const cudaGraphEdgeData *edges,
#define EDGES_OUT cudaGraphEdgeData *edges,
#define IGNORE_EDGES (void)edges
#else
#define EDGES
#define EDGES_OUT
#define IGNORE_EDGES
#endif

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     EDGES size_t count)
{
    cudaError_t e =
        handle_object(HANDLE_GRAPH, graph) && (!count || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;
    IGNORE_EDGES;
    for (size_t i = 0; !e && i < count; i++)
        e = find_node(to[i]) ? depend(find_node(to[i]), &from[i], 1) : cudaErrorInvalidValue;
    return leave(e);
}

// ---- changes

// The node's counterpart in a copy of its graph, or of a child of it.
static struct node *made_of(const struct graph *g, cudaGraphNode_t node)
{
    struct node *found = NULL;
    struct graph **inner;
    for (size_t i = 0; !found && g && i < g->count; i++) {
        found = g->nodes[i]->origin == node ? g->nodes[i] : NULL;
        for (size_t k = found ? 0 : inner_graphs(g->nodes[i], &inner); !found && k-- > 0;)
            found = made_of(inner[k], node);
    }
    return found;
}

// The node itself, or the instance's copy of it. NULL: the node belongs to another graph or is of another kind.
static struct node *to_change(cudaGraphExec_t exec, cudaGraphNode_t node, enum work_kind kind)
{
    struct node *n = exec ? made_of(handle_object(HANDLE_EXEC, exec), node) : find_node(node);
    return n && n->work.kind == kind ? n : NULL;
}

static cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t e, const struct work *work)
{
    struct node *n = e ? NULL : to_change(exec, node, work->kind);
    if (!n)
        return leave(e ? e : cudaErrorInvalidValue);
    void **args = work->kind == WORK_KERNEL ? copy_args(&work->kernel, work->device) : NULL;
    if (work->kind == WORK_KERNEL) {
        free(n->work.kernel.args);
        bool cooperative = n->work.kernel.cooperative;
        uint32_t cluster[3];
        memcpy(cluster, n->work.kernel.cluster, sizeof cluster);
        n->work = *work;
        n->work.kernel.args = args;
        n->work.kernel.cooperative = cooperative;
        memcpy(n->work.kernel.cluster, cluster, sizeof cluster);
    } else
        n->work = *work;
    return cudaSuccess;
}

// Defines the calls that add a node of a kind, change it, and change its counterpart in an instance, from the type of
// its parameters and the function that reads them.
#define LIST(...) __VA_ARGS__
#define NODE_CALLS(kind, suffix, read, declared, named) \
    cudaError_t cudaGraphAdd##kind##Node##suffix(cudaGraphNode_t *out, cudaGraph_t graph, \
                                                 const cudaGraphNode_t *before, size_t count, LIST declared) \
    { \
        struct work work; \
        return add(out, graph, before, count, read(LIST named, &work), &work); \
    } \
    cudaError_t cudaGraphExec##kind##NodeSetParams##suffix(cudaGraphExec_t exec, cudaGraphNode_t node, LIST declared) \
    { \
        struct work work; \
        return change(exec, node, read(LIST named, &work), &work); \
    } \
    cudaError_t cudaGraph##kind##NodeSetParams##suffix(cudaGraphNode_t node, LIST declared) \
    { \
        return cudaGraphExec##kind##NodeSetParams##suffix(NULL, node, LIST named); \
    }
NODE_CALLS(Kernel, , read_kernel, (const struct cudaKernelNodeParams *p), (p))
NODE_CALLS(Memset, , read_fill, (const struct cudaMemsetParams *p), (p))
NODE_CALLS(Host, , read_host, (const struct cudaHostNodeParams *p), (p))
NODE_CALLS(Memcpy, , read_copy, (const struct cudaMemcpy3DParms *p), (p))
NODE_CALLS(Memcpy, 1D, read_bytes, (void *to, const void *from, size_t n, enum cudaMemcpyKind kind),
           (to, from, n, kind))
NODE_CALLS(Memcpy, ToSymbol, read_to_symbol,
           (const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind),
           (symbol, from, n, offset, kind))
NODE_CALLS(Memcpy, FromSymbol, read_from_symbol,
           (void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind),
           (to, symbol, n, offset, kind))

// Only kernels, copies and fills can be switched off.
static struct node *to_switch(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct node *n = made_of(handle_object(HANDLE_EXEC, exec), node);
    return n && n->work.kind <= WORK_FILL ? n : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    struct node *n = to_switch(exec, node);
    if (n)
        n->disabled = !enabled;
    return leave(n ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    const struct node *n = to_switch(exec, node);
    if (n && enabled)
        *enabled = !n->disabled;
    return leave(n && enabled ? cudaSuccess : cudaErrorInvalidValue);
}

// ---- copies and queries

// The node's own copy of the graph; freed with the node.
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    struct node *n = to_change(NULL, node, WORK_CHILD);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    n->child = n->child ? n->child : handle_open(HANDLE_GRAPH, n->work.child);
    *out = n->child;
    return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *out)
{
    const struct node *n = to_change(NULL, node, WORK_ALLOCATE);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    *out = (struct cudaMemAllocNodeParams){.bytesize = n->work.memory.size, .dptr = n->work.memory.p};
    out->poolProps.allocType = cudaMemAllocationTypePinned;
    out->poolProps.location = (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = n->work.device};
    return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out)
{
    const struct node *n = to_change(NULL, node, WORK_RELEASE);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    *(void **)out = n->work.memory.p;
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out)
{
    const struct node *n = to_change(NULL, node, WORK_HOST);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    *out = (struct cudaHostNodeParams){n->work.host.call, n->work.host.data};
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out)
{
    const struct node *n = to_change(NULL, node, WORK_FILL);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    const struct fill_work *f = &n->work.fill;
    *out = (struct cudaMemsetParams){f->to, f->pitch, f->value, f->element, f->width / f->element, f->height};
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out)
{
    const struct node *n = to_change(NULL, node, WORK_COPY);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    const struct copy_work *c = &n->work.copy;
    *out = (struct cudaMemcpy3DParms){.srcPtr = {(void *)c->from, c->from_pitch, c->width, c->from_rows},
                                      .dstPtr = {c->to, c->to_pitch, c->width, c->to_rows},
                                      .extent = {c->width, c->height, c->depth},
                                      .kind = c->kind};
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t original)
{
    const struct graph *g = handle_object(HANDLE_GRAPH, original);
    struct graph *copy = out && g ? copy_graph(g) : NULL;
    if (!copy)
        return leave(cudaErrorInvalidValue);
    *out = handle_open(HANDLE_GRAPH, copy);
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone)
{
    const struct graph *g = handle_object(HANDLE_GRAPH, clone);
    for (size_t i = 0; out && g && i < g->count; i++)
        if (g->nodes[i]->origin == original) {
            *out = g->nodes[i]->handle;
            return cudaSuccess;
        }
    return leave(cudaErrorInvalidValue);
}

// A kernel node's parameters; kernelParams stay valid as long as the node.
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out)
{
    const struct node *n = to_change(NULL, node, WORK_KERNEL);
    if (!n || !out)
        return leave(cudaErrorInvalidValue);
    const struct kernel_work *k = &n->work.kernel;
    *out = (struct cudaKernelNodeParams){.func = (void *)k->kernel->host,
                                         .gridDim = {k->grid[0], k->grid[1], k->grid[2]},
                                         .blockDim = {k->block[0], k->block[1], k->block[2]},
                                         .sharedMemBytes = (unsigned)k->shared,
                                         .kernelParams = k->args};
    return cudaSuccess;
}

// Returns every edge that ends at `to` and starts at `from`, if given. *count: in, how many fit; out, how many there
// are.
static cudaError_t list_edges(const struct graph *g, const struct node *from, const struct node *to,
                              cudaGraphNode_t *from_out, cudaGraphNode_t *to_out, size_t *count)
{
    size_t found = 0;
    if (!g || !count)
        return leave(cudaErrorInvalidValue);
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->before_count; k++) {
            const struct node *end = g->nodes[i], *start = end->before[k];
            if ((to && end != to) || (from && start != from))
                continue;
            if (from_out && found < *count)
                from_out[found] = start->handle;
            if (to_out && found < *count)
                to_out[found] = end->handle;
            found++;
        }
    *count = found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, EDGES_OUT size_t *count)
{
    IGNORE_EDGES;
    return list_edges(handle_object(HANDLE_GRAPH, graph), NULL, NULL, from, to, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *out, EDGES_OUT size_t *count)
{
    const struct node *n = find_node(node);
    IGNORE_EDGES;
    return list_edges(n ? n->graph : NULL, NULL, n, out, NULL, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *out, EDGES_OUT size_t *count)
{
    const struct node *n = find_node(node);
    IGNORE_EDGES;
    return list_edges(n ? n->graph : NULL, n, NULL, NULL, out, count);
}

// Prints each node with its number, its kernel's name and its edges.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    const struct graph *g = handle_object(HANDLE_GRAPH, graph);
    FILE *f = g && path ? fopen(path, "w") : NULL;
    (void)flags;
    if (!f)
        return leave(g ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
    fprintf(f, "digraph {\n");
    for (size_t i = 0; i < g->count; i++) {
        const struct node *n = g->nodes[i];
        const char *name = n->work.kind == WORK_KERNEL ? kernel_name(n->work.kernel.kernel->name) : "";
        fprintf(f, "  \"%p\" [label=\"%zu %s\"];\n", (void *)n->handle, i, name);
        for (size_t k = 0; k < n->before_count; k++)
            fprintf(f, "  \"%p\" -> \"%p\";\n", (void *)n->before[k]->handle, (void *)n->handle);
    }
    fprintf(f, "}\n");
    return leave(fclose(f) ? cudaErrorOperatingSystem : cudaSuccess);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (!handle_object(HANDLE_EXEC, exec) || !flags)
        return leave(cudaErrorInvalidValue);
    *flags = 0;
    return cudaSuccess;
}
