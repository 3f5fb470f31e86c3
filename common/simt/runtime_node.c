// Graphs that a program builds node by node, and changes to the nodes of an instance.
#include <stdio.h>
#include <stdlib.h>

#include "report.h"
#include "runtime_graph.h"

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
    *out = (struct work){.kind = WORK_COPY, .device = current_device(), .copy = {to, from, n, n, 1, 1, n, 1, 1, kind}};
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

// e: what is wrong with the work already.
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
    *out = n->handle;
    return leave(depend(n, before, count));
}

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned int flags)
{
    cudaError_t e = enter();
    if (e || !out || flags)
        return leave(e ? e : cudaErrorInvalidValue);
    *out = handle_open(HANDLE_GRAPH, calloc(1, sizeof(struct graph)));
    return leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    struct work work;
    return add(out, graph, before, count, read_kernel(params, &work), &work);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemcpy3DParms *params)
{
    struct work work;
    return add(out, graph, before, count, read_copy(params, &work), &work);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    struct work work;
    return add(out, graph, before, count, read_bytes(to, from, n, kind, &work), &work);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   const struct cudaMemsetParams *params)
{
    struct work work;
    return add(out, graph, before, count, read_fill(params, &work), &work);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    struct work work;
    return add(out, graph, before, count, read_host(params, &work), &work);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    const struct work work = {.kind = WORK_EMPTY, .device = current_device()};
    return add(out, graph, before, count, cudaSuccess, &work);
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

// The node itself, or what the instance has made of it. NULL: another graph's, or of another kind.
static struct node *to_change(cudaGraphExec_t exec, cudaGraphNode_t node, enum work_kind kind)
{
    struct node *n = find_node(node);
    const struct graph *g = exec ? handle_object(HANDLE_EXEC, exec) : NULL;
    for (size_t i = 0; g && i < g->count; i++)
        if (g->nodes[i]->origin == node)
            return g->nodes[i]->work.kind == kind ? g->nodes[i] : NULL;
    return !exec && n && n->work.kind == kind ? n : NULL;
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
        n->work = *work;
        n->work.kernel.args = args;
        n->work.kernel.cooperative = cooperative;
    } else
        n->work = *work;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    return cudaGraphExecKernelNodeSetParams(NULL, node, params);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    struct work work;
    return change(exec, node, read_kernel(params, &work), &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    return cudaGraphExecMemcpyNodeSetParams(NULL, node, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params)
{
    struct work work;
    return change(exec, node, read_copy(params, &work), &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t n,
                                           enum cudaMemcpyKind kind)
{
    return cudaGraphExecMemcpyNodeSetParams1D(NULL, node, to, from, n, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               size_t n, enum cudaMemcpyKind kind)
{
    struct work work;
    return change(exec, node, read_bytes(to, from, n, kind, &work), &work);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    return cudaGraphExecMemsetNodeSetParams(NULL, node, params);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params)
{
    struct work work;
    return change(exec, node, read_fill(params, &work), &work);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    return cudaGraphExecHostNodeSetParams(NULL, node, params);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params)
{
    struct work work;
    return change(exec, node, read_host(params, &work), &work);
}

// ---- copies and questions

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

// Hands out every edge that ends at `to` or starts at `from`, where those are given. *count: how many fit; then, how
// many there are.
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

// Each node by its number, its kernel's name and its edges.
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
