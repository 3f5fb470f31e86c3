// hopper/calls.h: the functions of chapter 10-hopper, and their drivers: see remote/main.h.
#pragma once

#include "hopper/problem.h"
#include "remote/main.h"

typedef void cluster_function(unsigned *d_counts, const unsigned short *d_in, size_t n, int bins);
typedef void mirror_function(int *d_out, const int *d_in, size_t n);

#define CHAPTER_DRIVERS(X) X(cluster) X(mirror)
#define cluster_main(argc, argv, function) DRIVER_MAIN(cluster, argc, argv, function)
#define mirror_main(argc, argv, function) DRIVER_MAIN(mirror, argc, argv, function)
