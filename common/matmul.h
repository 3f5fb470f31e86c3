// matmul.h: chapter 07-matmul: the problem, its inputs, its tolerance and the driver of its programs.
//
// The problem. C = A B, where A has m rows and k columns, B k rows and n columns:
//
//     C(i, j) = A(i, 0) B(0, j) + A(i, 1) B(1, j) + ... + A(i, k-1) B(k-1, j)
//
// An exercise passes its function to matmul_main, or to matmul_bf16_main:
//
//     void multiply(float *d_c, const float *d_a, const float *d_b, struct shape s)
//     void multiply(float *d_c, const unsigned short *d_a, const unsigned short *d_b, struct shape s)
//
//   s         m, n, k: each from 0 to 65535. If k is 0, C is 0. If m or n is 0, there is no C.
//   d_a, d_b  stored by rows: A(i, p) is d_a[i * lda + p], B(p, j) is d_b[p * ldb + j]. TRANSPOSED: the
//             transpose of A is stored, and A(i, p) is d_a[p * lda + i]. Not to be modified.
//   d_c       receives C in the same way: C(i, j) is d_c[i * ldc + j]. Before the call it holds garbage.
//   lda, ...  the leading dimensions: at least the length of a row, often more. The words between the end of
//             a row and the next row are padding, which must be neither read nor written. Each row begins at a
//             multiple of 16 bytes. i * lda may be more than an int holds: use size_t.
//   Elements of A and B are floats, or (bf16) the upper 16 bits of floats. C and all sums are floats.
//   Work goes to the default stream; the driver waits for it.
//
// Inputs: matmul/inputs.h. All sets at all shapes of the driver, with padding of three lengths. One set holds
// whole numbers from -8 to 8: every sum is a whole number below 2^24. So floats hold it exactly in any order, and
// even the smallest index error shows. At some shapes the random floats are so small that a program may mistake
// their sums for 0.
//
// Tolerance. u = 2^-24 is half the distance of neighbouring floats. Each term of a sum of k products is rounded at
// most k times, whatever the order: once in the product, fewer than k times in the sums. Hence
//
//     |C(i, j) - exact| <= k u / (1 - k u) * (|A| |B|)(i, j)
//
// with |A| |B| the product of the absolute values (Higham, Accuracy and Stability of Numerical Algorithms, 3.5).
// Products of two bf16 values are exact. A tensor core adds 8 or 16 of them to a sum at once, each truncated, not
// rounded, at the last bit of the largest. A step of 8 then errs by at most 10 times 2^-23 of the values added. All k /
// 8 steps, with the last one counted in full, err by less than
//
//     |C(i, j) - exact| <= (k + 16) 2^-22 (|A| |B|)(i, j)                                            bf16
//
// Both are tested at every element against sums in double; whole numbers must be exact. In large matrices (2^27
// products and more) C x is compared exactly with A (B x) for whole numbers, and some elements of random floats
// with their sums.
#pragma once

#include "device/launch.h"
#include "device/matmul_shape.h"
#include "matmul/problem.h"

// matmul_main(argc, argv, multiply, storage), matmul_bf16_main(argc, argv, multiply)
#include "matmul/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "matmul/driver.h"
#endif
