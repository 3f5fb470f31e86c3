// segmented_sum.h: project 2, the sum of every segment. Write
//
//     void sum_segments(int *d_sums, const int *d_in, const int *d_begin, int segments, int n);
//
// Segment s is d_in[d_begin[s]], ..., d_in[d_begin[s + 1] - 1]; the begins never decrease, the first is 0, and
// d_begin[segments] is n. Segments may be empty: their sum is 0. One may hold nearly all words, so that a thread, warp
// or block for each segment is not enough. Sums wrap around as unsigned words do. segments is 1 or more.
//
//     a.out N SEED MEAN PERCENT     segments of MEAN words on average, one of PERCENT of all words
#pragma once

#include "projects/check.h"

void sum_segments(int *d_sums, const int *d_in, const int *d_begin, int segments, int n);

// Fills begin for n words; returns how many segments there are.
static inline int draw_segments(int *begin, int n, uint64_t *state, int mean, int percent)
{
    int segments = 0, large = (int)((long long)n * percent / 100), at = 0;
    while (at < n || segments == 0) {
        int length = random_below(state, 2 * mean);
        if (at >= n / 4 && large > 0) {
            length = large;
            large = 0;
        }
        begin[segments++] = at;
        at = at + length < n ? at + length : n;
    }
    begin[segments] = n;
    return segments;
}

static inline void sum_on_host(int *sums, const int *in, const int *begin, int segments)
{
    for (int s = 0; s < segments; s++) {
        unsigned sum = 0;
        for (int i = begin[s]; i < begin[s + 1]; i++)
            sum += (unsigned)in[i];
        sums[s] = (int)sum;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1000), mean = argument(argc, argv, 3, 20), percent = argument(argc, argv, 4, 50);
    uint64_t state = (uint64_t)argument(argc, argv, 2, 1);
    int *in = (int *)host_buffer(n * sizeof *in), *begin = (int *)host_buffer((8 * (size_t)n + 64) * sizeof *begin);
    int *want, *d_in, *d_begin, *d_sums, segments, right;

    for (int i = 0; i < n; i++)
        in[i] = (int)random_bits(&state);
    segments = draw_segments(begin, n, &state, mean, percent);
    want = (int *)host_buffer(segments * sizeof *want);
    sum_on_host(want, in, begin, segments);
    d_in = (int *)device_buffer(in, n * sizeof *in);
    d_begin = (int *)device_buffer(begin, (segments + 1) * sizeof *begin);
    d_sums = (int *)device_buffer(NULL, segments * sizeof *d_sums);
    begin_counted();
    sum_segments(d_sums, d_in, d_begin, segments, n);
    end_counted();
    right = are_words("sums", d_sums, want, (size_t)segments) && is_unchanged("d_in", d_in, in, n * sizeof *in) &&
            is_unchanged("d_begin", d_begin, begin, (segments + 1) * sizeof *begin);
    check_cuda(cudaFree(d_sums));
    check_cuda(cudaFree(d_begin));
    check_cuda(cudaFree(d_in));
    free(want);
    free(begin);
    free(in);
    return verdict(right);
}
