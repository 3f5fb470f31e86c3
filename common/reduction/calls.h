// reduction/calls.h: the functions of chapter 01-reduction, and their drivers: see remote/main.h.
#pragma once

#include "reduction/problem.h"
#include "remote/main.h"

typedef void reduction_function(int *d_out, const int *d_in, int *d_tmp, int n);
typedef void reduction_float_function(float *d_out, const float *d_in, float *d_tmp, int n);

#define CHAPTER_DRIVERS(X) X(reduction) X(reduction_float)
#define CHAPTER_CONSTANTS(X) X(ANY_ORDER) X(PAIRWISE)
#define reduction_main(argc, argv, function) DRIVER_MAIN(reduction, argc, argv, function)
#define reduction_float_main(argc, argv, function, order) DRIVER_MAIN(reduction_float, argc, argv, function, order)
