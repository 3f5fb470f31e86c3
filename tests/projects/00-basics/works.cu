// Project 0, a solution that only works: one thread goes through all words.
#include "projects/keep_in_order.h"

__global__ void keep(int *out, int *count, const int *in, int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[kept++] = in[i];
    *count = kept;
}

void keep_in_order(int *d_out, int *d_count, const int *d_in, int n)
{
    keep<<<1, 1>>>(d_out, d_count, d_in, n);
    check_cuda(cudaGetLastError());
}
