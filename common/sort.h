// sort.h: chapter 04-sort: the problem, its inputs and the driver of its programs.
//
// The problem. Put n keys in ascending order. A key is a 32-bit word, whose meaning depends on the order:
//
//   UNSIGNED  a number from 0 to 2^32 - 1
//   SIGNED    an int
//   FLOATS    the bits of a float. The order is total, and so includes -0 and NaN:
//             NaN with the sign bit < -inf < negative < -0 < +0 < positive < +inf < NaN without. NaNs are ordered
//             by their bits. This is totalOrder of IEEE 754, and agrees with C's < wherever that distinguishes two
//             floats.
//
// An exercise passes its function to sort_keys_main with its order, or to sort_records_main, which calls it
// for all three:
//
//     void sort(unsigned *d_out, const unsigned *d_in, unsigned *d_tmp, int n)                          01 to 05
//     void sort(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)        06 and 07
//
//   d_out    the keys in order. Every word is a legal key, even the largest: no word can stand for "nothing here".
//   columns  keys and values, value i belonging to key i, or no values, NULL. The sort is stable: values of equal keys
//            keep their order.
//   d_in     is not to be modified. It and d_out are aligned to 4 bytes and no more, independently: they may begin
//            anywhere in longer arrays. They do not overlap.
//   d_tmp    has 3 n + 4096 words, which hold garbage at first, as does d_out. It is aligned to 256 bytes.
//   n        is at most 2^30 - 1. 3 n does not fit an int. Work goes to the default stream; the driver waits for it.
//
// Inputs. All sets at all sizes, each at its own alignment. Entropies as in chapter 3: the AND of k random words. All
// values are different, and do not reveal their places. On the SIMT machine also sizes around the exercise's tile, a
// block that stalls, and the largest n, sampled.
//
// Tolerance. None: keys are compared as bits, and a stable sort has one right answer for the values, too.
#pragma once

#include "device/launch.h"
#include "device/sort_keys.h"

// sort_keys_main(argc, argv, sort, order), sort_records_main(argc, argv, sort)
#include "sort/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "sort/driver.h"
#endif
