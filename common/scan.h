// scan.h: chapter 02-scan: the problem, its inputs and the driver of its programs.
//
// The problem. All prefix sums of n ints. An exercise passes its function and what it computes to scan_main:
//
//     void scan(int *d_out, const int *d_in, int *d_tmp, int n)
//
//   d_out[i] = d_in[0] + ... + d_in[i]        INCLUSIVE, steps 01 to 03
//   d_out[i] = d_in[0] + ... + d_in[i - 1]    EXCLUSIVE, the others; d_out[0] = 0
//
//            Steps 01 to 05 scan every tile of TILE elements by itself, as if there were no other; the last tile
//            may be shorter. From step 06 on the array is scanned as a WHOLE.
//   d_in     is not to be modified. It and d_out are aligned to 4 bytes and no more, independently: they may begin
//            anywhere in longer arrays. They do not overlap.
//   d_tmp    has n + 64 values, which hold garbage at first, as does d_out. It is aligned to 256 bytes.
//   n        is at most 2^30. Work goes to the default stream; the driver waits for it.
//
// Inputs. All sets at all sizes, each at its own alignment; the largest size with the last and the first. Sums may
// leave the range of an int: they wrap around. Every element is compared exactly, with one loop on the host. On the
// SIMT machine also sizes around the exercise's tile, a block that stalls, and the largest n, sampled.
#pragma once

#include "device/launch.h"
#include "device/scan_vector_loads.h"
#include "scan/problem.h"

// scan_main(argc, argv, scan, kind, tile)
#include "scan/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "scan/driver.h"
#endif
