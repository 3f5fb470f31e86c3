// Project 8, a solution that works and no more: a thread for each output, everything from global memory.
#include "projects/resize.h"

__global__ void resize_each(float *out, const float *in, const float *weights, struct sizes s)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;

    if (x >= s.out_width || y >= s.out_height)
        return;
    for (int j = 0; j < TAPS; j++)
        for (int k = 0; k < TAPS; k++) {
            int row = min(max(y * s.down / s.up + j - TAPS / 2 + 1, 0), s.height - 1);
            int column = min(max(x * s.down / s.up + k - TAPS / 2 + 1, 0), s.width - 1);
            sum += weights[y * s.down % s.up * TAPS + j] * weights[x * s.down % s.up * TAPS + k] *
                   in[(size_t)row * s.width + column];
        }
    out[(size_t)y * s.out_width + x] = sum;
}

void resize(float *d_out, const float *d_in, const float *d_weights, struct sizes s)
{
    dim3 blocks(s.out_width / 32 + 1, s.out_height / 8 + 1);

    resize_each<<<blocks, dim3(32, 8)>>>(d_out, d_in, d_weights, s);
    check_cuda(cudaGetLastError());
}
