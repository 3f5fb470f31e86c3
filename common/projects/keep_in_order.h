// keep_in_order.h: project 0, stream compaction that keeps the order. Write
//
//     void keep_in_order(int *d_out, int *d_count, const int *d_in, int n);
//
// It stores the words above 0 among d_in[0], ..., d_in[n - 1] in d_out, in the order of the input, and their number in
// *d_count. All three are device memory; d_out has n words, and those after the last kept word may hold anything. n is
// 0 or more. The function may allocate device memory, which it must free.
//
//     a.out N SEED PERCENT     N words, PERCENT of them above 0
#pragma once

#include "projects/check.h"

void keep_in_order(int *d_out, int *d_count, const int *d_in, int n);

static inline int keep_on_host(int *out, const int *in, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[count++] = in[i];
    return count;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1000), percent = argument(argc, argv, 3, 50), count;
    uint64_t state = (uint64_t)argument(argc, argv, 2, 1);
    size_t bytes = n * sizeof(int);
    int *in = (int *)host_buffer(bytes), *want = (int *)host_buffer(bytes), *d_in, *d_out, *d_count, right;

    for (int i = 0; i < n; i++) {
        int value = 1 + random_below(&state, 1 << 20);
        in[i] = random_below(&state, 99) < percent ? value : -value;
    }
    count = keep_on_host(want, in, n);
    d_in = (int *)device_buffer(in, bytes);
    d_out = (int *)device_buffer(NULL, bytes);
    d_count = (int *)device_buffer(NULL, sizeof *d_count);
    begin_counted();
    keep_in_order(d_out, d_count, d_in, n);
    end_counted();
    right = are_words("count", d_count, &count, 1) && are_words("out", d_out, want, (size_t)count) &&
            is_unchanged("d_in", d_in, in, bytes);
    check_cuda(cudaFree(d_count));
    check_cuda(cudaFree(d_out));
    check_cuda(cudaFree(d_in));
    free(want);
    free(in);
    return verdict(right);
}
