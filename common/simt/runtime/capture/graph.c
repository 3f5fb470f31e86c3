// Graphs (graph.h). The nodes of a copy stand in an order that respects every dependency; a launch runs them in that
// order.
#include "runtime/capture/graph.h"

#include <stdlib.h>

#include "base/alloc.h"

// ---- building

void add_to_front(struct node ***front, size_t *count, struct node *n)
{
    for (size_t i = 0; i < *count; i++)
        if ((*front)[i] == n)
            return;
    *front = alloc_more(*front, *count + 1, sizeof **front);
    (*front)[(*count)++] = n;
}

void add_before(struct node *n, struct node *earlier)
{
    add_to_front(&n->before, &n->before_count, earlier);
    earlier->followed = true;
}

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
    struct node *n = alloc_zeroed(1, sizeof *n);
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
    g->nodes = alloc_more(g->nodes, g->count + 1, sizeof *g->nodes);
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
    struct graph *g = alloc_zeroed(1, sizeof *g);
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

// ---- running

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
    uint32_t *timelines = alloc_zeroed(g->count + 1, sizeof *timelines);
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

cudaError_t run_graph(const struct graph *g, struct stream *s)
{
    struct order start, end = {{0}};
    graph_starts(s, &start);
    return run_nodes(g, s, &start, &end);
}

// ---- updating

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

// The other graph usually comes from capturing the same code again.
bool update_graph(struct graph *instance, const struct graph *from, bool *circle)
{
    struct graph *copy = copy_graph(from), old = *instance; // both are in the order that copies have
    *circle = !copy;
    if (!copy)
        return false;
    bool same = same_shape(instance, copy);
    if (same) {
        keep_names(copy, instance);
        *instance = *copy;
        *copy = old;
    }
    free_graph(copy);
    return same;
}
