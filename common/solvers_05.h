// solvers_05.h: step 05 of chapter 06-iterative-solvers: a matrix of mostly zeros. Read solvers/iteration.h first.
//
// An exercise passes its function to sparse_main:
//
//     float *solve(float *d_x, float *d_new, const float *d_f, struct sparse a, int sweeps)
//
//   makes that many sweeps of Jacobi's iteration: x'_i = x_i + (f_i - sum over j of a_ij x_j) / a_ii.
//   returns  d_x or d_new: the array that holds x after the last sweep. The other one may then hold anything.
//   d_x      the initial values, one per row. d_new has the same size and holds garbage.
//   d_f      and all of a but its slices are not to be modified.
//   a        has at most 2^24 rows. Their entries, and those of the slices, fit an int.
//
// Storage. CSR: the nonzero entries of row i are at start[i], ..., start[i + 1] - 1 of column and value, in the order
// of their columns; each row has one on its diagonal.
//
//     matrix           start   0   2       5   6          slices of 3 rows       row 0   row 1   row 2
//     5 1 0            column  0 1 0 1 2   2   (CSR)      entry 0                5 | 0   2 | 0   7 | 2
//     2 6 3            value   5 1 2 6 3   7              entry 1                1 | 1   6 | 1   0 | 2
//     0 0 7                                               entry 2                0 | 0   3 | 2   0 | 2
//
// ELL in slices of SLICE rows: all rows of a slice have as many entries as its longest one. First come the first
// entries of its rows, side by side, then the second ones, and so on: entry k of row i is at
//
//     slice[i / SLICE] + k * SLICE + i % SLICE
//
// If a row has no entry k, the value is 0 and the column i: it adds nothing, and reading x there is safe. The driver
// has computed slice[] and allocated memory; solve must fill slice_column and slice_value from the CSR arrays.
//
// Tolerance: as in solvers/iteration.h. Inputs: diagonals are the sum of the row's other entries over THETA, of either
// sign, so that THETA is the norm of M. 5-point: entries where step 6's grid has them, a row per cell of a grid at most
// 64 cells wide. "not dominant" has row sums 1.25 in an M without negative entries: that is its rate, so the driver
// refuses it. In "tiny solution" entries and solution are 2^-30 times as large.
#pragma once

#include "device/launch.h"
#include "solvers/sparse_problem.h"

// sparse_main(argc, argv, solve)
#include "solvers/sparse_calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "solvers/sparse_driver.h"
#endif
