// solvers_10.h: step 10 of chapter 06-iterative-solvers: a grid on several GPUs. Read device/grid.h and
// device/slabs.h first.
//
// An exercise passes its function to slabs_main:
//
//     void solve(struct team *t, int sweeps)
//
//   makes that many sweeps of the whole grid. Before the call x of every slab holds the slab's rows and the halo rows
//   above and below them; next holds the grid's border, and garbage elsewhere. After it x of every slab holds the
//   slab's own rows. Rows 0 and g.height - 1 of x and next change only by the halo exchange, or not at all if they
//   are the grid's border. Every slab has at least one row of its own. sweeps may be 0. Work goes to the slabs'
//   streams only. The grid has at most 2^14 rows and columns.
//
// Inputs. Grids cut as evenly and as unevenly as possible into 1, 2, 3, 4 slabs; compared bit for bit with plain sweeps
// in float on the host, so any number of GPUs gives the same bits as one. First by peer copies, with slabs that share a
// GPU if there are fewer; then, if compiled in, by NCCL with 1, 2, ... GPUs. Started by MPI: by NCCL with all of them.
//
// --bench measures times on a GPU: weak scaling, 16384 x 16384 cells on each GPU, and strong scaling, as many in all.
#pragma once

#include "device/grid.h"
#include "device/launch.h"
#include "device/slabs.h"

// slabs_main(argc, argv, solve)
#include "solvers/slabs_calls.h"
#ifndef WORKBOOK_SERVED // else a separate object: remote/driver.cu
#include "solvers/slabs_driver.h"
#endif
