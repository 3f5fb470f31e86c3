// reduction.h: chapter 01-reduction: the problem, its inputs, its tolerance and the driver of its programs.
//
// The problem. Sum n values. An exercise passes its function to reduction_main (ints) or reduction_float_main:
//
//     void reduce(int *d_out, const int *d_in, int *d_tmp, int n)
//
//   d_out[0] = d_in[0] + ... + d_in[n - 1], and 0 if n = 0. Before the call it holds garbage.
//   d_in     is not to be modified. Only an alignment to 4 bytes is certain: it may begin anywhere in a longer array.
//   d_tmp    has n + 64 values, which hold garbage at first.
//   n        is at most 2^30. Work goes to the default stream; the driver waits for it.
//
// Inputs. All sets at all sizes, each at its own alignment; the largest sizes with the first set only. The sum of ints
// always fits an int; partial sums of 'extremes' do not, but wrap around and come back. On the SIMT machine also sizes
// around the exercise's tile, and the largest n, sampled.
//
// Tolerance. Ints are compared exactly, and so are floats if every partial sum is a float: the set 'grid' holds
// multiples of q with a sum of |x| below 2^24 q. Otherwise: one addition errs by at most 2^-24 of its result, so a
// value on its way through h additions, h 2^-24 <= 1, collects at most (1 + 2^-24)^h - 1 <= h 2^-23 of itself:
//
//     |sum - exact| <= h FLT_EPSILON (|x[0]| + ... + |x[n-1]|)     h = n - 1 in any order, ceil(log2 n) in pairs
#pragma once

#include "device/launch.h"
#include "reduction/problem.h"

// reduction_main(argc, argv, reduce), reduction_float_main(argc, argv, reduce, order)
#include "reduction/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "reduction/driver.h"
#endif
