// Graphs. A copy's nodes are in an order that respects every dependency, and a launch runs them in that order.
#include "runtime/capture/graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "exec/condition.h"

// ---- building

void add_to_front(struct node ***front, size_t *count, struct node *n)
{
    for (size_t i = 0; i < *count; i++)
        if ((*front)[i] == n)
            return;
    *front = alloc_resize(*front, *count + 1, sizeof **front);
    (*front)[(*count)++] = n;
}

void add_before(struct node *n, struct node *earlier)
{
    add_to_front(&n->before, &n->before_count, earlier);
    earlier->followed = true;
}

size_t inner_graphs(const struct node *n, struct graph ***out)
{
    bool child = n->work.kind == WORK_CHILD;
    *out = child ? (struct graph **)&n->work.child : n->work.condition.bodies;
    return child ? 1 : n->work.kind == WORK_CONDITION ? n->work.condition.size : 0;
}

static void free_bodies(struct node *n)
{
    for (unsigned i = 0; n->bodies && i < n->work.condition.size; i++)
        handle_close(HANDLE_GRAPH, n->bodies[i]);
    free(n->bodies);
    free(n->work.condition.bodies);
}

static void free_node(struct node *n)
{
    struct graph **inner;
    handle_close(HANDLE_NODE, n->handle);
    if (n->work.kind == WORK_KERNEL)
        free(n->work.kernel.args);
    if (n->child)
        handle_close(HANDLE_GRAPH, n->child);
    for (size_t i = inner_graphs(n, &inner); i-- > 0;)
        free_graph(inner[i]);
    if (n->work.kind == WORK_CONDITION)
        free_bodies(n);
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

static bool is_followed(const struct node *n)
{
    bool found = false;
    for (size_t i = 0; i < n->graph->count; i++)
        for (size_t k = 0; k < n->graph->nodes[i]->before_count; k++)
            found |= n->graph->nodes[i]->before[k] == n;
    return found;
}

bool remove_before(struct node *n, struct node *earlier)
{
    for (size_t i = 0; i < n->before_count; i++)
        if (n->before[i] == earlier) {
            n->before[i] = n->before[--n->before_count];
            earlier->followed = is_followed(earlier);
            return true;
        }
    return false;
}

void remove_node(struct node *n)
{
    struct graph *g = n->graph;
    size_t kept = 0;
    for (size_t i = 0; i < g->count; i++) {
        remove_before(g->nodes[i], n);
        if (g->nodes[i] != n)
            g->nodes[kept++] = g->nodes[i];
    }
    g->count = kept;
    for (size_t i = 0; i < n->before_count; i++)
        n->before[i]->followed = is_followed(n->before[i]);
    free_node(n);
}

// Creates the node's bodies: copies, or new graphs that the program will fill.
static bool own_bodies(struct condition_work *c)
{
    struct graph **from = c->bodies;
    bool whole = true;
    c->bodies = alloc_zeroed(c->size, sizeof *c->bodies);
    for (unsigned i = 0; i < c->size; i++) {
        c->bodies[i] = from ? copy_graph(from[i]) : NULL;
        whole &= !from || c->bodies[i];
        c->bodies[i] = c->bodies[i] ? c->bodies[i] : alloc_zeroed(1, sizeof **c->bodies);
    }
    return whole;
}

struct node *add_node(struct graph *g, const struct work *work, cudaError_t *e)
{
    struct node *n = alloc_zeroed(1, sizeof *n);
    n->work = *work;
    n->graph = g;
    if (work->kind == WORK_CONDITION && !own_bodies(&n->work.condition)) {
        free_node(n);
        *e = cudaErrorInvalidValue;
        return NULL;
    }
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
    g->nodes = alloc_resize(g->nodes, g->count + 1, sizeof *g->nodes);
    g->nodes[g->count++] = n;
    return n;
}

// Copies the node into g if g has all its dependencies but not the node itself.
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

// Finds what the node waits for, and its timeline. True: the timeline is new.
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

static cudaError_t run_nodes(const struct graph *g, struct stream *s, const struct order *start, struct order *end);

// The body that the condition's value chooses now; NULL: none.
static const struct graph *chosen_body(const struct condition_work *c)
{
    uint32_t value = condition_value(c->handle);
    if (c->kind == CONDITION_SWITCH)
        return value < c->size ? c->bodies[value] : NULL;
    return value ? c->bodies[0] : c->kind == CONDITION_IF && c->size == 2 ? c->bodies[1] : NULL;
}

static cudaError_t run_condition(struct node *n, struct stream *s)
{
    const struct condition_work *c = &n->work.condition;
    const struct graph *body;
    cudaError_t e = cudaSuccess;
    for (bool again = true; !e && again && (body = chosen_body(c)); again = c->kind == CONDITION_WHILE) {
        const struct order before = n->order;
        e = device_is_lost(n->work.device) ? cudaErrorUnknown : run_nodes(body, s, &before, &n->order);
    }
    return device_is_lost(n->work.device) ? cudaSuccess : e; // the next call that waits returns the error
}

// start: what its nodes wait for; *end: joined with what has ended when they have ended.
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
        else if (n->work.kind == WORK_CONDITION)
            e = run_condition(n, s);
        else if (!n->disabled && !device_is_lost(n->work.device))
            e = run_node(s, &n->work, n->timeline, &n->order);
        order_join(end, &n->order);
    }
    graph_ends(s, end, timelines, count);
    free(timelines);
    return e;
}

static void start_conditions(const struct graph *g)
{
    struct graph **inner;
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->work.kind == WORK_CONDITION)
            condition_start(g->nodes[i]->work.condition.handle);
        for (size_t k = inner_graphs(g->nodes[i], &inner); k-- > 0;)
            start_conditions(inner[k]);
    }
}

cudaError_t run_graph(const struct graph *g, struct stream *s)
{
    struct order start, end = {{0}};
    start_conditions(g);
    graph_starts(s, &start);
    return run_nodes(g, s, &start, &end);
}

// ---- updating

static bool same_shape(const struct graph *a, const struct graph *b)
{
    bool same = a->count == b->count;
    struct graph **in_a, **in_b;
    for (size_t i = 0; same && i < a->count; i++) {
        size_t count = inner_graphs(a->nodes[i], &in_a);
        same = a->nodes[i]->work.kind == b->nodes[i]->work.kind && inner_graphs(b->nodes[i], &in_b) == count;
        for (size_t k = 0; same && k < count; k++)
            same = same_shape(in_a[k], in_b[k]);
    }
    return same;
}

// The program addresses an instance's nodes by those of the graph from which it was first made.
static void keep_names(struct graph *g, const struct graph *first)
{
    for (size_t i = 0; i < g->count; i++) {
        g->nodes[i]->origin = first->nodes[i]->origin;
        g->nodes[i]->disabled = first->nodes[i]->disabled;
        struct graph **to, **from;
        inner_graphs(first->nodes[i], &from);
        for (size_t k = inner_graphs(g->nodes[i], &to); k-- > 0;)
            keep_names(to[k], from[k]);
    }
}

// The other graph usually comes from capturing the same code again.
bool update_graph(struct graph *instance, const struct graph *from, bool *circle)
{
    struct graph *copy = copy_graph(from), old = *instance; // both are in the order of copies
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
