// convolution.h: chapter 08-convolution: the problem, its inputs, its tolerance and the driver of its programs.
//
// The problem. A filter of 2 r + 1 words, its weights, slides over a signal. Each output is the sum of the words around
// it, each times its weight; over an image the filter is square:
//
//     out(i)    = sum over k from -r to r                of f(r + k) in(i + k)
//     out(y, x) = sum over j and k, each from -r to r,   of f(r + j, r + k) in(y + j, x + k)
//
// Words outside of the signal or the image count as 0. The filter is not flipped: strictly this is a correlation, which
// image processing and Kirk and Hwu's book call convolution; with f(r - k) it would be the convolution of mathematics.
// A filter is separable if f(j, k) = column(j) row(k): then rows and columns can be summed in turn.
//
// An exercise passes its function to the driver of its problem:
//
//     signal_main     void filter(float *d_out, const float *d_in, int n, const float *d_filter, int radius)
//     image_main      void filter(float *d_out, const float *d_in, const float *d_filter, struct plane p)
//     separable_main  void filter(float *d_out, float *d_scratch, const float *d_in, const float *d_filter,
//                                 struct plane p)
//
//   n          from 0 to 2^31 - 4096, so that an index plus a radius still fits an int.
//   p          width and height, each from 0 to 65535, and radius. Row y of an image begins y * pitch words
//              after its row 0, at a multiple of 16 bytes; each image has its own pitch. The words between
//              the end of a row and the next row are padding, which must be neither read nor written.
//   radius     from 1 to 15.
//   d_filter   in device memory: 2 r + 1 weights; of an image 2 r + 1 rows of them, without gaps; separable:
//              the 2 r + 1 of `row`, then the 2 r + 1 of `column`.
//   d_in       not to be modified, as the filter.
//   d_out      as large as the input. Before the call it holds garbage.
//   d_scratch  as large as d_out, with its pitch, for the exercise to use.
//   Work goes to the default stream; the driver waits for it.
//
// Inputs: matmul/inputs.h. One set holds whole numbers from -8 to 8, weights too. Every sum is then a whole number
// below 2^24, which floats hold exactly in any order, so that even the smallest index error shows.
//
// Tolerance. u = 2^-24 is half the distance of neighbouring floats. Each term of a sum of t products is rounded at most
// t times, whatever the order: once in the product, fewer than t times in the sums. Hence
//
//     |out - exact| <= t u / (1 - t u) * (sum of the absolute values of the products)
//
// (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), with t = 2 r + 1 for a signal, (2 r + 1)^2 for an
// image. A separable filter computes two sums of 2 r + 1 in a row: t = 2 (2 r + 1). Tested at every word against sums
// in double; whole numbers must be exact. On large images (2^27 products and more) each row of whole numbers is tested
// by its product with a random vector, exactly, and some words of random floats are tested.
#pragma once

#include "device/launch.h"
#include "device/plane.h"

// signal_main(argc, argv, filter), image_main(...), separable_main(...)
#include "convolution/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "convolution/driver.h"
#endif
