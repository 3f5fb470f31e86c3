// convolution/calls.h: the functions of chapter 08-convolution, and their drivers: see remote/main.h.
#pragma once

#include "device/plane.h"
#include "remote/main.h"

typedef void signal_function(float *d_out, const float *d_in, int n, const float *d_filter, int radius);
typedef void image_function(float *d_out, const float *d_in, const float *d_filter, struct plane p);
typedef void separable_function(float *d_out, float *d_scratch, const float *d_in, const float *d_filter,
                                struct plane p);

#define CHAPTER_DRIVERS(X) X(signal) X(image) X(separable)
#define signal_main(argc, argv, function) DRIVER_MAIN(signal, argc, argv, function)
#define image_main(argc, argv, function) DRIVER_MAIN(image, argc, argv, function)
#define separable_main(argc, argv, function) DRIVER_MAIN(separable, argc, argv, function)
