// scan/calls.h: the function of chapter 02-scan, and its driver: see remote/main.h.
#pragma once

#include "remote/main.h"
#include "scan/problem.h"

typedef void scan_function(int *d_out, const int *d_in, int *d_tmp, int n);

#define CHAPTER_DRIVERS(X) X(scan)
#define CHAPTER_CONSTANTS(X) X(INCLUSIVE) X(EXCLUSIVE) X(WHOLE)
#define scan_main(argc, argv, function, kind, tile) DRIVER_MAIN(scan, argc, argv, function, kind, tile)
