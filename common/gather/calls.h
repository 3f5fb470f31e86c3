// gather/calls.h: the functions of chapter 09-gather, and their drivers: see remote/main.h.
#pragma once

#include "device/bins.h"
#include "gather/problem.h"
#include "remote/main.h"

typedef void gather_function(float *d_map, const float4 *d_atoms, int n, struct plane p);
typedef void binned_function(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins);

#define CHAPTER_DRIVERS(X) X(gather) X(binned)
#define CHAPTER_CONSTANTS(X) X(UNLIMITED) X(WITHIN_CUTOFF) X(EVEN) X(CROWDED)
#define gather_main(argc, argv, function, reach) DRIVER_MAIN(gather, argc, argv, function, reach)
#define binned_main(argc, argv, function, spread) DRIVER_MAIN(binned, argc, argv, function, spread)
