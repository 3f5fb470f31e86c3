// top_k.h: project 4, the k largest words, in descending order. Write
//
//     void top_k(unsigned *d_out, const unsigned *d_in, int n, int k);
//
// d_out[0], ..., d_out[k - 1] become the k largest words of d_in[0], ..., d_in[n - 1], the largest first; equal words
// count separately. k is from 1 to 1024, and n is k or more. Sorting all n words is more work than the task needs.
//
//     a.out N SEED K BITS     words below 2^BITS
#pragma once

#include "projects/check.h"

void top_k(unsigned *d_out, const unsigned *d_in, int n, int k);

static inline int falls(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x < y) - (x > y);
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 1000), k = argument(argc, argv, 3, 50), bits = argument(argc, argv, 4, 32), right;
    uint64_t state = (uint64_t)argument(argc, argv, 2, 1);
    size_t bytes = n * sizeof(unsigned);
    unsigned *in = (unsigned *)host_buffer(bytes), *want = (unsigned *)host_buffer(bytes), *d_in, *d_out;

    for (int i = 0; i < n; i++)
        in[i] = (unsigned)(random_bits(&state) >> (64 - bits));
    memcpy(want, in, bytes);
    qsort(want, (size_t)n, sizeof *want, falls);
    d_in = (unsigned *)device_buffer(in, bytes);
    d_out = (unsigned *)device_buffer(NULL, k * sizeof *d_out);
    begin_counted();
    top_k(d_out, d_in, n, k);
    end_counted();
    right = are_words("out", (int *)d_out, (int *)want, (size_t)k) && is_unchanged("d_in", d_in, in, bytes);
    check_cuda(cudaFree(d_out));
    check_cuda(cudaFree(d_in));
    free(want);
    free(in);
    return verdict(right);
}
