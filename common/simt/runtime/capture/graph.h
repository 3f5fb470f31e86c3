// Graphs: nodes of work, what each depends on, and running them.
#pragma once

#include "runtime/order/order.h"

struct node {
    struct work work;
    struct graph *graph;
    cudaGraphNode_t handle;
    cudaGraphNode_t origin; // in a copy: the node it was made from
    struct node **before;   // the nodes it depends on
    size_t before_count;
    bool followed;     // some node depends on it
    bool disabled;     // in an instance: does nothing
    cudaGraph_t child; // handle of work.child, once requested
    cudaGraph_t *bodies; // handles of work.condition.bodies, for the program; NULL: a copy's
    struct node *copy; // while its graph is copied

    // While its graph runs: what has ended when the node has; its timeline, and whether a later node has continued it.
    struct order order;
    uint32_t timeline;
    bool continued;
};

// A graph. A copy's nodes are in an order that respects every dependency; a graph built by hand may have any order.
struct graph {
    struct node **nodes;
    size_t count;
};

// Appends a node with a copy of the work to the graph. NULL: *e says why.
struct node *add_node(struct graph *g, const struct work *work, cudaError_t *e);
void add_before(struct node *n, struct node *earlier);

bool remove_before(struct node *n, struct node *earlier); // false: it was not there
void remove_node(struct node *n);                         // with its edges

// What a node runs besides its own work: the child graph, or the bodies of a condition. Returns how many.
size_t inner_graphs(const struct node *n, struct graph ***out);
void free_graph(struct graph *g);

// NULL: the graph has a cycle.
struct graph *copy_graph(const struct graph *from);

void add_to_front(struct node ***front, size_t *count, struct node *n); // front is a set: adds n only once

// Runs an instance in the stream.
cudaError_t run_graph(const struct graph *g, struct stream *s);

// Gives the instance the work of another graph of the same shape. False: the shapes differ, or the graph has a cycle.
bool update_graph(struct graph *instance, const struct graph *from, bool *circle);
