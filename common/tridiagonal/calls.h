// tridiagonal/calls.h: the function of chapter 05-tridiagonal, and its driver: see remote/main.h.
#pragma once

#include "device/tridiagonal_equations.h"
#include "remote/main.h"
#include "tridiagonal/problem.h"

typedef void tridiagonal_function(float *d_x, struct bands d, float *d_tmp, int size, int systems);

#define CHAPTER_DRIVERS(X) X(tridiagonal)
#define CHAPTER_CONSTANTS(X) X(CONTIGUOUS) X(INTERLEAVED) X(DIRECT) X(PARALLEL) X(LONG)
#define tridiagonal_main(argc, argv, function, layout, method, limit) \
    DRIVER_MAIN(tridiagonal, argc, argv, function, layout, method, limit)
