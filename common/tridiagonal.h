// tridiagonal.h: chapter 05-tridiagonal: the problem, its inputs, its tolerance and the driver of its programs.
//
// The problem. Systems of equations in which row i has three unknowns:
//
//     a_i x_{i-1} + b_i x_i + c_i x_{i+1} = f_i        i = 0, ..., size - 1; a_0 = 0 and c_{size-1} = 0
//
// An exercise passes its function to tridiagonal_main:
//
//     void solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
//
//   d         the bands a, b, c and the right sides f of all systems, n = size * systems rows. Not to be modified.
//             CONTIGUOUS: row i of system s is element s * size + i; INTERLEAVED: element i * systems + s.
//   d_x       receives the solutions in the same order. Like the bands it is aligned to 16 bytes at its start.
//   d_tmp     has n + 1024 values, aligned to 16 bytes. It holds garbage at first, as does d_x.
//   size      is at least 1 and at most what the exercise passes to tridiagonal_main; systems may be 0; n <= 2^30.
//   Work goes to the default stream; the driver waits for it.
//
// Inputs: tridiagonal/matrices.h. Every set runs at every shape of tridiagonal/driver.h that the step accepts, larger
// sizes with one or two sets; counters and times use the second set.
//
// No step exchanges rows. That is safe if the matrix is dominant, |b_i| >= |a_i| + |c_i| in every row. The driver
// refuses any other, except with `--pivoting`, which shows what happens to two matrices that need pivoting.
//
// Tolerance. u = 2^-24 is half the distance of neighbouring floats. Scale every equation so that b = 1: then |a| + |c|
// <= 1, and |f| <= 2 max|x|. One elimination adds to an equation its neighbours times k1, k2 with |k1| + |k2| <= 1. The
// magnitudes of all terms, times the unknowns, add up to at most 6 max|x|: 2 for the bands, 4 for the right sides. Each
// term is rounded at most 13 times: 5 in a multiplier (4 if it is from __fdividef, and a product), 3 in the product and
// its sums, 5 in scaling. So one level of elimination errs by 78 u max|x| in its own equation. In the given equation
// this error is multiplied by b' for every earlier level, b' = 1 + t with t <= |a| + |c|. But the equation it leaves
// has |a'| + |c'| <= (|a| + |c| - t) / (1 + t), so that the product of all b' is at most 2. There are L = log2 size
// levels, rounded up, and one more for the back substitution (Thomas's algorithm has one level in all):
//
//     |f_i - a_i x_{i-1} - b_i x_i - c_i x_{i+1}| <= 156 (L + 1) u |b_i| max|x|                    the residual
//
// The error of x follows from y, the solution of |b_i| y_i - |a_i| y_{i-1} - |c_i| y_{i+1} = |b_i|: for a dominant
// matrix, no element of the inverse exceeds in magnitude the same element of the inverse of y's matrix, all of whose
// elements are positive. Hence
//
//     |x_i - exact| <= 156 (L + 1) u max|x| y_i                                                 the forward error
//
// Steps with PARALLEL cyclic reduction guarantee less. There two more rows have used the old version of a row, without
// its error: no change of one given equation explains the error. But y never grows from level to level, so that the
// error in x is half the above, and the residual is at most |b| times 156 (L + 1) u max|x| y_i.
//
// Both are tested in every row, in double, against Thomas's algorithm in double on the host: 8 operations per row.
#pragma once

#include "device/launch.h"
#include "device/tridiagonal_equations.h"
#include "tridiagonal/problem.h"

// tridiagonal_main(argc, argv, solve, layout, method, limit)
#include "tridiagonal/calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "tridiagonal/driver.h"
#endif
