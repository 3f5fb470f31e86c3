// breadth_first.h: project 6, breadth-first search over a sparse matrix. Write
//
//     void breadth_first(int *d_distance, const int *d_begin, const int *d_neighbour, int nodes, int from);
//
// The edges of node v lead to d_neighbour[d_begin[v]], ..., d_neighbour[d_begin[v + 1] - 1], as the columns of a row in
// CSR. d_distance[v] becomes the least number of edges from node `from` to v, or -1 if no path leads there. An edge may
// appear twice, and may lead back to its node. nodes is 1 or more.
//
//     a.out NODES SEED DEGREE TAIL     TAIL nodes in a row at the end of the graph; node 1 has many edges
#pragma once

#include "projects/check.h"

void breadth_first(int *d_distance, const int *d_begin, const int *d_neighbour, int nodes, int from);

struct graph {
    int nodes, edges, *begin, *neighbour;
};

// Nodes 0 to nodes - tail - 1 have DEGREE edges or fewer to one another, node 1 nodes / 4. Node 0
// has an edge to the tail, the remaining nodes. Only a random edge can lead to the last node of the first part.
static inline struct graph draw_graph(int nodes, uint64_t *state, int degree, int tail)
{
    int body = nodes - tail, most = nodes * (degree + 2) + nodes / 4;
    struct graph g = {nodes, 0, (int *)host_buffer((nodes + 1) * sizeof(int)), (int *)host_buffer(most * sizeof(int))};
    for (int v = 0; v < nodes; v++) {
        int count = v >= body ? 0 : v == 1 ? nodes / 4 : random_below(state, degree);
        g.begin[v] = g.edges;
        if (v == 0 && body < nodes)
            g.neighbour[g.edges++] = body;
        if (v == 0 && body > 1)
            g.neighbour[g.edges++] = 1;
        if (v >= body && v + 1 < nodes)
            g.neighbour[g.edges++] = v + 1;
        for (int k = 0; k < count; k++)
            g.neighbour[g.edges++] = random_below(state, body - 1);
    }
    g.begin[nodes] = g.edges;
    return g;
}

static inline void search_on_host(int *distance, const struct graph *g, int from)
{
    int *queue = (int *)host_buffer(g->nodes * sizeof *queue), count = 1;
    for (int v = 0; v < g->nodes; v++)
        distance[v] = -1;
    distance[queue[0] = from] = 0;
    for (int i = 0; i < count; i++)
        for (int e = g->begin[queue[i]]; e < g->begin[queue[i] + 1]; e++)
            if (distance[g->neighbour[e]] < 0) {
                distance[g->neighbour[e]] = distance[queue[i]] + 1;
                queue[count++] = g->neighbour[e];
            }
    free(queue);
}

int main(int argc, char **argv)
{
    int nodes = argument(argc, argv, 1, 200), degree = argument(argc, argv, 3, 4), tail = argument(argc, argv, 4, 10);
    uint64_t state = (uint64_t)argument(argc, argv, 2, 1);
    struct graph g = draw_graph(nodes, &state, degree, tail);
    int *want = (int *)host_buffer(nodes * sizeof *want), *d_begin, *d_neighbour, *d_distance, right;

    search_on_host(want, &g, 0);
    d_begin = (int *)device_buffer(g.begin, (nodes + 1) * sizeof *g.begin);
    d_neighbour = (int *)device_buffer(g.neighbour, g.edges * sizeof *g.neighbour);
    d_distance = (int *)device_buffer(NULL, nodes * sizeof *d_distance);
    begin_counted();
    breadth_first(d_distance, d_begin, d_neighbour, nodes, 0);
    end_counted();
    right = are_words("distance", d_distance, want, (size_t)nodes) &&
            is_unchanged("d_begin", d_begin, g.begin, (nodes + 1) * sizeof *g.begin) &&
            is_unchanged("d_neighbour", d_neighbour, g.neighbour, g.edges * sizeof *g.neighbour);
    check_cuda(cudaFree(d_distance));
    check_cuda(cudaFree(d_neighbour));
    check_cuda(cudaFree(d_begin));
    free(want);
    free(g.neighbour);
    free(g.begin);
    return verdict(right);
}
