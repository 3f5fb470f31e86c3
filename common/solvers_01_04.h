// solvers_01_04.h: steps 01 to 04 of chapter 06-iterative-solvers: a full matrix. Read solvers/iteration.h first.
//
// An exercise passes its function to simple_main or jacobi_main, which determine the number of sweeps, or to
// converge_main:
//
//     float *solve(float *d_x, float *d_new, const float *d_a, const float *d_f, int n, int pitch,
//                  float alpha, int sweeps)
//     float *solve(float *d_x, float *d_new, float *d_sum, const float *d_a, const float *d_f, int n, int pitch,
//                  struct stop *stop)
//
//   returns  d_x or d_new: the array that holds x after the last sweep. The other one may then hold anything.
//   d_x      the n initial values. d_new has n values and holds garbage; so does d_sum, one float.
//   d_a      the matrix, row by row: a_ij = d_a[i * pitch + j], also if that is more than an int holds. All four
//            arrays begin at a multiple of 128 bytes; pitch >= n is a multiple of 4, so every row of A begins at one of
//            16 bytes. Elements n to pitch - 1 of a row are not part of A: they are NaN.
//   d_a, d_f are not to be modified.
//   alpha    of the simple iteration; Jacobi does not need it.
//   n        may be 0, and so may sweeps. Work goes to the default stream.
//   stop     says when to stop; solve fills in the outcome. The residual at a test is that of the x which the last
//            sweep has read.
//
// Its inputs, alpha and the rate: solvers/matrix.h.
#pragma once

#include "device/launch.h"
#include "device/solvers_stopping.h"

// simple_main(argc, argv, solve), jacobi_main(argc, argv, solve), converge_main(argc, argv, solve)
#include "solvers/dense_calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "solvers/dense_driver.h"
#endif
