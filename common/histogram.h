// histogram.h: chapter 03-histogram: the problem, its inputs and the driver of its programs.
//
// The problem. Count how many of n samples fall into each bin. A sample is a byte. Each of 256 bins belongs to one
// value; each of 64 bins belongs to four neighbouring values: bin = value / 4. An exercise passes its function to
// histogram_main with the number of bins that it counts, or to histogram_any_main, which calls it for 64 and for 256:
//
//     void histogram(unsigned *d_bins, const unsigned char *d_in, size_t n)
//     void histogram(unsigned *d_bins, const unsigned char *d_in, size_t n, int bins)
//
//   d_bins[b] = the number of samples in bin b. Before the call d_bins holds garbage: zero it before you add to it.
//   d_in      is not to be modified. It may begin at any address; bytes before or after it must not be read.
//   n         is at most 2^32 - 1, and so is a count if all samples are equal: it fits an unsigned 32-bit word. The
//             driver refuses a larger n. An index does not fit an int: use size_t.
//   Work goes to the default stream; the driver waits for it.
//
// Inputs. All sets at all sizes, each at its own alignment, and random samples at all 16 alignments; on the SIMT
// machine also around the exercise's tile, and the largest n, sampled. The input decides how hard a histogram is: how
// many samples of a warp fall into one bin. Random bytes have entropy 1. The AND of k random bytes has ones with
// probability 2^-k: 0.544 for k = 3, 0.201 for k = 5, as in the benchmarks of CUB. Counters are read with entropy
// 0.201, where one sample in four or five is not 0; times are taken with 1.000.
//
// Tolerance. None: counts are exact.
#pragma once

#include "device/launch.h"

// How many blocks n samples need if a block takes share of them; at least one, as a launch requires.
static inline int blocks_for(size_t n, size_t share)
{
    return n > share ? (int)((n + share - 1) / share) : 1;
}

// histogram_main(argc, argv, histogram, bins), histogram_any_main(argc, argv, histogram)
#include "histogram/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "histogram/driver.h"
#endif
