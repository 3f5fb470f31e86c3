// basics/calls.h: the functions of steps 02 to 06 of chapter 00-basics, and their drivers: see remote/main.h.
#pragma once

#include "device/image.h"
#include "device/particles.h"
#include "remote/main.h"

typedef void saxpy_function(float *d_y, const float *d_x, float a, size_t n);
typedef void grey_function(struct image grey, struct image colour);
typedef void drift_function(float *d_particles, int n, float dt, enum layout layout);
typedef void transpose_function(float *d_out, const float *d_in, int width, int height);
typedef void keep_function(int *d_out, int *d_count, const int *d_in, int n);

#define CHAPTER_DRIVERS(X) X(saxpy) X(grey) X(drift) X(transpose) X(keep)
#define saxpy_main(argc, argv, function) DRIVER_MAIN(saxpy, argc, argv, function)
#define grey_main(argc, argv, function) DRIVER_MAIN(grey, argc, argv, function)
#define drift_main(argc, argv, function) DRIVER_MAIN(drift, argc, argv, function)
#define transpose_main(argc, argv, function) DRIVER_MAIN(transpose, argc, argv, function)
#define keep_main(argc, argv, function) DRIVER_MAIN(keep, argc, argv, function)
