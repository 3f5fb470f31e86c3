// solvers_06_08.h: steps 06 to 08 of chapter 06-iterative-solvers: grids, and no matrix. Read solvers/iteration.h and
// device/grid.h first, which define a grid and a sweep.
//
// An exercise passes its function to plane_main or space_main (step 9: see solvers_09.h):
//
//     float *solve(float *d_x, float *d_new, struct grid g, int sweeps)
//
//   returns  d_x or d_new: the array that holds x after the last sweep, border included. The other may hold anything.
//   d_x      the initial grid. d_new has the same size and holds garbage.
//   sweeps   may be 0; a grid may be so small that it is all border, or empty. Work goes to the default stream.
//
// The rate. Let w = pi / (width - 1), h = pi / (height - 1). Since sin(a - w) + sin(a + w) = 2 cos(w) sin(a), a sweep
// multiplies the wave sin(p w column) sin(q h row), which is 0 on the border, by (cos(p w) + cos(q h)) / 2. All errors
// are sums of such waves. The lowest one, p = q = 1, decays most slowly: its factor is the rate. In space there is a
// third wave, and the average is of three cosines.
//
// Inputs. Border and solution are a polynomial which equals the average of its neighbours everywhere, column^2 - row^2
// and the like. "wave" starts from the solution plus the lowest wave, so every cell after k sweeps is known without any
// sweep: solution + rate^k wave, up to rounding. One sweep rounds by less than 4 u times the largest value, and M
// enlarges nothing. All inputs are also compared bit for bit with plain sweeps in float on the host.
#pragma once

#include "device/grid.h"
#include "device/launch.h"

// plane_main(argc, argv, solve), space_main(argc, argv, solve)
#include "solvers/grid_calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "solvers/grid_driver.h"
#endif
