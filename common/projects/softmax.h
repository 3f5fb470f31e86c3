// softmax.h: project 1, the softmax of every row of a matrix. Write
//
//     void softmax(float *d_out, const float *d_in, int rows, int columns);
//
// out[r][c] = exp(in[r][c]) / (the sum of exp(in[r][k]) over all k), rows contiguous in memory. Words may be large:
// exp(100) overflows, but the quotient does not. rows is 0 or more, columns 1 or more.
//
//     a.out ROWS COLUMNS SEED SIZE     words from -SIZE to SIZE
#pragma once

#include "projects/check.h"

void softmax(float *d_out, const float *d_in, int rows, int columns);

// The row in double. A sum of n terms is off by at most n roundings of 2^-24. The difference to the largest word is off
// by one, which exp turns into as many of its own size; if that exceeds 104, the answer is below the smallest float.
// expf twice and the quotient take the rest of 128.
static inline void softmax_on_host(double *want, double *bound, const float *in, int columns)
{
    double most = in[0], sum = 0;
    for (int c = 1; c < columns; c++)
        most = fmax(most, in[c]);
    for (int c = 0; c < columns; c++)
        sum += exp(in[c] - most);
    for (int c = 0; c < columns; c++) {
        want[c] = exp(in[c] - most) / sum;
        bound[c] = want[c] * (columns + 128) * 0x1p-24 + 0x1p-126;
    }
}

int main(int argc, char **argv)
{
    int rows = argument(argc, argv, 1, 8), columns = argument(argc, argv, 2, 300), right;
    uint64_t state = (uint64_t)argument(argc, argv, 3, 1);
    float size = (float)argument(argc, argv, 4, 10), *d_in, *d_out;
    size_t n = (size_t)rows * columns, bytes = n * sizeof(float);
    float *in = (float *)host_buffer(bytes);
    double *want = (double *)host_buffer(2 * n * sizeof *want), *bound = want + n;

    for (size_t i = 0; i < n; i++)
        in[i] = size * small_number(&state, 1 << 20) * 0x1p-20f;
    for (int r = 0; r < rows; r++)
        softmax_on_host(want + (size_t)r * columns, bound + (size_t)r * columns, in + (size_t)r * columns, columns);
    d_in = (float *)device_buffer(in, bytes);
    d_out = (float *)device_buffer(NULL, bytes);
    begin_counted();
    softmax(d_out, d_in, rows, columns);
    end_counted();
    right = are_floats("out", d_out, want, bound, n) && is_unchanged("d_in", d_in, in, bytes);
    check_cuda(cudaFree(d_out));
    check_cuda(cudaFree(d_in));
    free(want);
    free(in);
    return verdict(right);
}
