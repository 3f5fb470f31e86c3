// many_bins.h: project 3, a histogram of very many bins. Write
//
//     void count_words(int *d_counts, const unsigned *d_in, int n, int bins);
//
// d_counts[b] becomes the number of words of d_in[0], ..., d_in[n - 1] that equal b; all words are below bins. bins is
// from 1 to 2^20, so a block's shared memory cannot hold all counters. One bin may get nearly all words.
//
//     a.out N SEED BINS PERCENT     PERCENT of the words fall into one bin
#pragma once

#include "projects/check.h"

void count_words(int *d_counts, const unsigned *d_in, int n, int bins);

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1000), bins = argument(argc, argv, 3, 5000), percent = argument(argc, argv, 4, 20);
    uint64_t state = (uint64_t)argument(argc, argv, 2, 1);
    size_t bytes = n * sizeof(unsigned);
    unsigned *in = (unsigned *)host_buffer(bytes), crowded = (unsigned)random_below(&state, bins - 1), *d_in;
    int *want = (int *)host_buffer(bins * sizeof *want), *d_counts, right;

    memset(want, 0, bins * sizeof *want);
    for (int i = 0; i < n; i++) {
        in[i] = random_below(&state, 99) < percent ? crowded : (unsigned)random_below(&state, bins - 1);
        want[in[i]]++;
    }
    d_in = (unsigned *)device_buffer(in, bytes);
    d_counts = (int *)device_buffer(NULL, bins * sizeof *d_counts);
    begin_counted();
    count_words(d_counts, d_in, n, bins);
    end_counted();
    right = are_words("counts", d_counts, want, (size_t)bins) && is_unchanged("d_in", d_in, in, bytes);
    check_cuda(cudaFree(d_counts));
    check_cuda(cudaFree(d_in));
    free(want);
    free(in);
    return verdict(right);
}
