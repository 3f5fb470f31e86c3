// solvers/grid_calls.h: the functions of steps 06 to 08 of chapter 06-iterative-solvers, and their drivers: see
// remote/main.h.
#pragma once

#include "device/grid.h"
#include "remote/main.h"

typedef float *plane_function(float *d_x, float *d_new, struct grid g, int sweeps);
typedef plane_function space_function;

#define CHAPTER_DRIVERS(X) X(plane) X(space)
#define plane_main(argc, argv, function) DRIVER_MAIN(plane, argc, argv, function)
#define space_main(argc, argv, function) DRIVER_MAIN(space, argc, argv, function)
