// Project 6, a solution that reaches level 3: a launch for each distance, only over the nodes at this distance, a warp
// for each. A node joins the next frontier when its distance is set, once.
#include "projects/breadth_first.h"

#define BLOCK 256

__global__ void begin_search(int *distance, int nodes, int from)
{
    int v = blockIdx.x * BLOCK + threadIdx.x;

    if (v < nodes)
        distance[v] = v == from ? 0 : -1;
}

// One edge: returns whether u is new, and sets its distance.
__device__ int reach(int *distance, int u, int now)
{
    return atomicCAS(&distance[u], -1, now) == -1;
}

__global__ void expand(int *distance, int *next, int *count, const int *frontier, int size, const int *begin,
                       const int *neighbour, int now)
{
    int at = (blockIdx.x * BLOCK + threadIdx.x) / 32;

    if (at >= size)
        return;
    int v = frontier[at], end = begin[v + 1];
    for (int e = begin[v] + threadIdx.x % 32; e < end; e += 32)
        if (reach(distance, neighbour[e], now))
            next[atomicAdd(count, 1)] = neighbour[e];
}

void breadth_first(int *d_distance, const int *d_begin, const int *d_neighbour, int nodes, int from)
{
    int *d_frontier, *d_next, *d_count, size = 1;

    check_cuda(cudaMalloc(&d_frontier, nodes * sizeof *d_frontier));
    check_cuda(cudaMalloc(&d_next, nodes * sizeof *d_next));
    check_cuda(cudaMalloc(&d_count, sizeof *d_count));
    begin_search<<<(nodes + BLOCK - 1) / BLOCK, BLOCK>>>(d_distance, nodes, from);
    check_cuda(cudaMemcpy(d_frontier, &from, sizeof from, cudaMemcpyHostToDevice));
    for (int now = 1; size > 0; now++) {
        int *swap = d_frontier;
        check_cuda(cudaMemset(d_count, 0, sizeof *d_count));
        expand<<<(size * 32 + BLOCK - 1) / BLOCK, BLOCK>>>(d_distance, d_next, d_count, d_frontier, size, d_begin,
                                                           d_neighbour, now);
        check_cuda(cudaGetLastError());
        check_cuda(cudaMemcpy(&size, d_count, sizeof size, cudaMemcpyDeviceToHost));
        d_frontier = d_next;
        d_next = swap;
    }
    check_cuda(cudaFree(d_count));
    check_cuda(cudaFree(d_next));
    check_cuda(cudaFree(d_frontier));
}
