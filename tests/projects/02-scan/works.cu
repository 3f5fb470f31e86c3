// Project 2, a solution that works and no more: a thread for each segment.
#include "projects/segmented_sum.h"

__global__ void sum_each(int *sums, const int *in, const int *begin, int segments)
{
    int s = blockIdx.x * 256 + threadIdx.x, sum = 0;

    if (s >= segments)
        return;
    for (int i = begin[s]; i < begin[s + 1]; i++)
        sum += in[i];
    sums[s] = sum;
}

void sum_segments(int *d_sums, const int *d_in, const int *d_begin, int segments, int n)
{
    sum_each<<<segments / 256 + 1, 256>>>(d_sums, d_in, d_begin, segments);
    check_cuda(cudaGetLastError());
}
