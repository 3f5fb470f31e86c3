// @topic@/calls.h: the function of chapter @folder@, and its driver: see remote/main.h.
#pragma once

#include "remote/main.h"

typedef void @topic@_function(int *d_out, const int *d_in, int n);

#define CHAPTER_DRIVERS(X) X(@topic@)
#define @topic@_main(argc, argv, function) DRIVER_MAIN(@topic@, argc, argv, function)
