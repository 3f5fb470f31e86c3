// @topic@.h: chapter @folder@: the problem, its inputs and the driver of its programs.
//
// The problem. Double n values. An exercise passes its function to @topic@_main:
//
//     void @topic@(int *d_out, const int *d_in, int n)
//
//   d_out[i] = 2 * d_in[i], modulo 2^32. Before the call it holds garbage.
//   d_in     is not to be modified. It is aligned to 4 bytes and no more.
//   n        is at most 2^30. Work goes to the default stream; the driver waits for it.
//
// Inputs. Random words, at sizes around a warp and a block, and ragged ones; on the SIMT machine also around the
// exercise's tile, and the largest n, sampled.
//
// Tolerance. None: the words are compared.
#pragma once

#include "device/launch.h"

// @topic@_main(argc, argv, @topic@)
#include "@topic@/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "@topic@/driver.h"
#endif
