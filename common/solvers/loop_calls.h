// solvers/loop_calls.h: the functions of step 09 of chapter 06-iterative-solvers, and their driver: see remote/main.h.
#pragma once

#include "device/grid.h"
#include "device/solvers_stopping.h"
#include "remote/main.h"

typedef float *loop_function(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop);

#define CHAPTER_DRIVERS(X) X(loop)
#define loop_main(argc, argv, solve, solve_by_graph) \
    DRIVER_MAINS((loop_function, loop_function), loop, argc, argv, solve, solve_by_graph)
