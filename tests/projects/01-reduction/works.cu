// Project 1, a solution that works and no more: a thread for each row.
#include "projects/softmax.h"

__global__ void softmax_rows(float *out, const float *in, int rows, int columns)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    float most = -INFINITY, sum = 0;

    if (r >= rows)
        return;
    in += (size_t)r * columns;
    for (int c = 0; c < columns; c++)
        most = fmaxf(most, in[c]);
    for (int c = 0; c < columns; c++)
        sum += expf(in[c] - most);
    for (int c = 0; c < columns; c++)
        out[(size_t)r * columns + c] = expf(in[c] - most) / sum;
}

void softmax(float *d_out, const float *d_in, int rows, int columns)
{
    softmax_rows<<<rows / 64 + 1, 64>>>(d_out, d_in, rows, columns);
    check_cuda(cudaGetLastError());
}
