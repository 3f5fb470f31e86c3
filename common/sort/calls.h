// sort/calls.h: the functions of chapter 04-sort, and their drivers: see remote/main.h.
#pragma once

#include "device/sort_keys.h"
#include "remote/main.h"

typedef void sort_keys_function(unsigned *d_out, const unsigned *d_in, unsigned *d_tmp, int n);
typedef void sort_records_function(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order);

#define CHAPTER_DRIVERS(X) X(sort_keys) X(sort_records)
#define CHAPTER_CONSTANTS(X) X(UNSIGNED) X(SIGNED) X(FLOATS)
#define sort_keys_main(argc, argv, function, order) DRIVER_MAIN(sort_keys, argc, argv, function, order)
#define sort_records_main(argc, argv, function) DRIVER_MAIN(sort_records, argc, argv, function)
