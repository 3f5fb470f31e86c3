// Project 3, a solution that works and no more: every word is an atomic operation on global memory.
#include "projects/many_bins.h"

__global__ void count_each(int *counts, const unsigned *in, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;

    if (i < n)
        atomicAdd(&counts[in[i]], 1);
}

void count_words(int *d_counts, const unsigned *d_in, int n, int bins)
{
    check_cuda(cudaMemset(d_counts, 0, bins * sizeof *d_counts));
    count_each<<<n / 256 + 1, 256>>>(d_counts, d_in, n);
    check_cuda(cudaGetLastError());
}
