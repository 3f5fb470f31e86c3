// solvers_09.h: step 09 of chapter 06-iterative-solvers: sweeps until it is good enough. Read solvers_06_08.h first.
//
// An exercise passes two functions to loop_main, which do the same: one by a single launch, the other by a graph.
//
//     float *solve(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
//
//   d_x, d_new  and the result: as in solvers_06_08.h.
//   g           has at most 2^14 rows and columns.
//   d_sums      two floats, garbage at first.
//   d_stop      a struct stop in device memory with the stopping rule; it receives the outcome. A test sums the squares
//   of
//               the changes made by its sweep, over all cells of the grid. A change is the cell's residual over
//               the diagonal.
//
// How many sweeps. "wave" starts from the solution plus the lowest wave, which a sweep multiplies by the rate: sweep k
// changes x by (rate - 1) rate^(k - 1) wave. The sum at a test is FEWER^2 times the one of sweep 1 if rate^(k - 1) is
// FEWER: after 1 + ln FEWER / ln rate sweeps. The driver compares the number of sweeps with this one, and every run
// with plain sweeps on the host, which may stop a test earlier or later only if rounding decides.
#pragma once

#include "device/grid.h"
#include "device/launch.h"
#include "device/solvers_stopping.h"

// loop_main(argc, argv, solve, solve_by_graph)
#include "solvers/loop_calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "solvers/loop_driver.h"
#endif
