// solvers/sparse_calls.h: the function of step 05 of chapter 06-iterative-solvers, and its driver: see remote/main.h.
#pragma once

#include "remote/main.h"
#include "solvers/sparse_problem.h"

typedef float *sparse_function(float *d_x, float *d_new, const float *d_f, struct sparse a, int sweeps);

#define CHAPTER_DRIVERS(X) X(sparse)
#define sparse_main(argc, argv, function) DRIVER_MAIN(sparse, argc, argv, function)
