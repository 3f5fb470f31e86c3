// hopper.h: chapter 10-hopper: the problems of steps 1 and 2, their inputs and their drivers.
//
// Counting, cluster_main. Count how many of n samples fall into each of many bins:
//
//     void histogram(unsigned *d_counts, const unsigned short *d_in, size_t n, int bins)
//
//   d_counts[b] = the number of samples b, for b = 0 ... bins - 1. Before the call d_counts holds garbage.
//   d_in        n samples, each below bins. Begins at a multiple of 16 bytes. Not to be modified.
//   bins        1 to MOST_BINS. Steps are counted and timed with LESSON_BINS.
//   n           0 to 2^28.
//
// Reversal, mirror_main. The last word comes first:
//
//     void mirror(int *d_out, const int *d_in, size_t n)
//
//   d_out[n - 1 - i] = d_in[i]. Both begin at a multiple of 16 bytes. d_out holds garbage at first; d_in is not to be
//   modified.
//   n           0 to 2^31.
//
// Work goes to the default stream; the driver waits for it. The multiprocessor is of compute capability 9.0: it has
// clusters of blocks and bulk copies. Step 3 has the problem of step 7 of chapter 6: solvers_06_08.h.
//
// Inputs of cluster_main: uniform samples; half of all in one bin; samples that rise by one; all in the last bin.
//
// Tolerance. None: counts and words are exact.
#pragma once

#include "device/launch.h"
#include "hopper/problem.h"

// cluster_main(argc, argv, histogram), mirror_main(argc, argv, mirror)
#include "hopper/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "hopper/driver.h"
#endif
