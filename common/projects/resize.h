// resize.h: project 8, an image resized by a polyphase filter. Write
//
//     void resize(float *d_out, const float *d_in, const float *d_weights, struct sizes s);
//
// The image grows by s.up / s.down. Along a row, output i lies at input i * down / up: it starts from input base = i *
// down / up, rounded down, with phase i * down % up, and is the sum over k from 0 to TAPS - 1 of
//
//     d_weights[phase * TAPS + k] * in[base + k - TAPS / 2 + 1]
//
// where an index outside the row is moved to its nearest end. Columns are resized in the same way, with the same
// weights: an output has TAPS * TAPS products. up and down are from 1 to 16, and down is at most 4 up. Rows are
// contiguous in memory.
//
//     a.out WIDTH HEIGHT UP DOWN SEED
#pragma once

#include "projects/check.h"

#define TAPS 8
#define MOST_UP 16
#define MOST_STEP 4 // down / up at most

struct sizes {
    int width, height; // of the input, 1 or more
    int up, down;
    int out_width, out_height; // of the output: (width * up + down - 1) / down, and so for the height
};

void resize(float *d_out, const float *d_in, const float *d_weights, struct sizes s);

static inline __host__ __device__ int clamp_index(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// Output (x, y), and its error bound: 2 TAPS + 4 roundings of the sum of the products' sizes.
static inline double resize_on_host(double *bound, const float *in, const float *weights, struct sizes s, int x, int y)
{
    const float *across = weights + x * s.down % s.up * TAPS, *downwards = weights + y * s.down % s.up * TAPS;
    double sum = 0, size = 0;
    for (int j = 0; j < TAPS; j++)
        for (int k = 0; k < TAPS; k++) {
            int row = clamp_index(y * s.down / s.up + j - TAPS / 2 + 1, s.height);
            int column = clamp_index(x * s.down / s.up + k - TAPS / 2 + 1, s.width);
            double product = (double)downwards[j] * across[k] * in[(size_t)row * s.width + column];
            sum += product;
            size += fabs(product);
        }
    *bound = (2 * TAPS + 4) * 0x1p-24 * size + 0x1p-126;
    return sum;
}

int main(int argc, char **argv)
{
    struct sizes s = {argument(argc, argv, 1, 40), argument(argc, argv, 2, 30), argument(argc, argv, 3, 3),
                      argument(argc, argv, 4, 2)};
    uint64_t state = (uint64_t)argument(argc, argv, 5, 1);
    float *in, *d_in, *d_out, *d_weights, weights[MOST_UP * TAPS];
    int right;

    s.out_width = (s.width * s.up + s.down - 1) / s.down;
    s.out_height = (s.height * s.up + s.down - 1) / s.down;
    size_t words = (size_t)s.width * s.height, n = (size_t)s.out_width * s.out_height;
    double *want = (double *)host_buffer(2 * n * sizeof *want), *bound = want + n;
    in = (float *)host_buffer(words * sizeof *in);
    for (size_t i = 0; i < words; i++)
        in[i] = small_number(&state, 1 << 20) * 0x1p-20f;
    for (int i = 0; i < s.up * TAPS; i++)
        weights[i] = small_number(&state, 1 << 20) * 0x1p-22f;
    for (size_t i = 0; i < n; i++)
        want[i] = resize_on_host(&bound[i], in, weights, s, (int)(i % s.out_width), (int)(i / s.out_width));
    d_in = (float *)device_buffer(in, words * sizeof *in);
    d_weights = (float *)device_buffer(weights, s.up * TAPS * sizeof *weights);
    d_out = (float *)device_buffer(NULL, n * sizeof *d_out);
    begin_counted();
    resize(d_out, d_in, d_weights, s);
    end_counted();
    right = are_floats("out", d_out, want, bound, n) && is_unchanged("d_in", d_in, in, words * sizeof *in);
    check_cuda(cudaFree(d_out));
    check_cuda(cudaFree(d_weights));
    check_cuda(cudaFree(d_in));
    free(in);
    free(want);
    return verdict(right);
}
