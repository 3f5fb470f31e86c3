// solvers/dense_calls.h: the functions of steps 01 to 04 of chapter 06-iterative-solvers, and their drivers: see
// remote/main.h.
#pragma once

#include "device/solvers_stopping.h"
#include "remote/main.h"

typedef float *simple_function(float *d_x, float *d_new, const float *d_a, const float *d_f, int n, int pitch,
                               float alpha, int sweeps);
typedef simple_function jacobi_function;
typedef float *converge_function(float *d_x, float *d_new, float *d_sum, const float *d_a, const float *d_f, int n,
                                 int pitch, struct stop *stop);
CROSSES_WHOLE(struct stop)

#define CHAPTER_DRIVERS(X) X(simple) X(jacobi) X(converge)
#define simple_main(argc, argv, function) DRIVER_MAIN(simple, argc, argv, function)
#define jacobi_main(argc, argv, function) DRIVER_MAIN(jacobi, argc, argv, function)
#define converge_main(argc, argv, function) DRIVER_MAIN(converge, argc, argv, function)
