// histogram/calls.h: the functions of chapter 03-histogram, and their drivers: see remote/main.h.
#pragma once

#include "device/launch.h"
#include "remote/main.h"

typedef void histogram_function(unsigned *d_bins, const unsigned char *d_in, size_t n);
typedef void histogram_any_function(unsigned *d_bins, const unsigned char *d_in, size_t n, int bins);

#define CHAPTER_DRIVERS(X) X(histogram) X(histogram_any)
#define histogram_main(argc, argv, function, bins) DRIVER_MAIN(histogram, argc, argv, function, bins)
#define histogram_any_main(argc, argv, function) DRIVER_MAIN(histogram_any, argc, argv, function)
