// solvers/slabs_calls.h: the function of step 10 of chapter 06-iterative-solvers, and its driver: see remote/main.h.
#pragma once

#include "device/slabs.h"
#include "remote/main.h"

typedef void slabs_function(struct team *t, int sweeps);
CROSSES_WHOLE(struct team)

#define CHAPTER_DRIVERS(X) X(slabs)
#define slabs_main(argc, argv, function) DRIVER_MAIN(slabs, argc, argv, function)
