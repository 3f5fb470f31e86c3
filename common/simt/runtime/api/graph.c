// Calls for graphs as a whole: instances, launches, queries.
#include "runtime/capture/capture.h"

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

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    return instantiate(out, graph);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    return instantiate(out, graph);
}

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

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    struct graph *to = handle_object(HANDLE_EXEC, exec);
    const struct graph *from = handle_object(HANDLE_GRAPH, graph);
    if (!to || !from || !info)
        return leave(cudaErrorInvalidValue);
    memset(info, 0, sizeof *info);
    bool circle;
    info->result = cudaGraphExecUpdateSuccess;
    if (update_graph(to, from, &circle))
        return cudaSuccess;
    if (circle)
        return leave(cudaErrorInvalidValue);
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    return leave(cudaErrorGraphExecUpdateFailure);
}

// ---- queries

// Returns the nodes of a graph, or only its roots. *count: in, how many fit; out, how many there are.
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
        [WORK_KERNEL] = cudaGraphNodeTypeKernel,   [WORK_COPY] = cudaGraphNodeTypeMemcpy,
        [WORK_FILL] = cudaGraphNodeTypeMemset,     [WORK_HOST] = cudaGraphNodeTypeHost,
        [WORK_CALLBACK] = cudaGraphNodeTypeHost,   [WORK_EVENT] = cudaGraphNodeTypeEventRecord,
        [WORK_WAIT] = cudaGraphNodeTypeWaitEvent,  [WORK_EMPTY] = cudaGraphNodeTypeEmpty,
        [WORK_CHILD] = cudaGraphNodeTypeGraph,     [WORK_ALLOCATE] = cudaGraphNodeTypeMemAlloc,
        [WORK_RELEASE] = cudaGraphNodeTypeMemFree, [WORK_CONDITION] = 13 /* cudaGraphNodeTypeConditional */};
    const struct node *n = handle_object(HANDLE_NODE, node);
    if (!n || !type)
        return leave(cudaErrorInvalidValue);
    *type = types[n->work.kind];
    return cudaSuccess;
}
