// Project 6, a solution that works and no more: for each distance a launch over all nodes.
#include "projects/breadth_first.h"

__global__ void begin_search(int *distance, int nodes, int from)
{
    int v = blockIdx.x * 256 + threadIdx.x;

    if (v < nodes)
        distance[v] = v == from ? 0 : -1;
}

__global__ void expand(int *distance, int *found, const int *begin, const int *neighbour, int nodes, int now)
{
    int v = blockIdx.x * 256 + threadIdx.x;

    if (v >= nodes || atomicAdd(&distance[v], 0) != now - 1)
        return;
    for (int e = begin[v]; e < begin[v + 1]; e++)
        if (atomicCAS(&distance[neighbour[e]], -1, now) == -1)
            atomicExch(found, 1);
}

void breadth_first(int *d_distance, const int *d_begin, const int *d_neighbour, int nodes, int from)
{
    int *d_found, found = 1;

    check_cuda(cudaMalloc(&d_found, sizeof *d_found));
    begin_search<<<nodes / 256 + 1, 256>>>(d_distance, nodes, from);
    for (int now = 1; found; now++) {
        check_cuda(cudaMemset(d_found, 0, sizeof *d_found));
        expand<<<nodes / 256 + 1, 256>>>(d_distance, d_found, d_begin, d_neighbour, nodes, now);
        check_cuda(cudaGetLastError());
        check_cuda(cudaMemcpy(&found, d_found, sizeof found, cudaMemcpyDeviceToHost));
    }
    check_cuda(cudaFree(d_found));
}
