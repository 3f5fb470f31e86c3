// matmul/calls.h: the functions of chapter 07-matmul, and their drivers: see remote/main.h.
#pragma once

#include "device/matmul_shape.h"
#include "matmul/problem.h"
#include "remote/main.h"

typedef void matmul_function(float *d_c, const float *d_a, const float *d_b, struct shape s);
typedef void matmul_bf16_function(float *d_c, const unsigned short *d_a, const unsigned short *d_b, struct shape s);

#define CHAPTER_DRIVERS(X) X(matmul) X(matmul_bf16)
#define CHAPTER_CONSTANTS(X) X(PLAIN) X(TRANSPOSED)
#define matmul_main(argc, argv, function, storage) DRIVER_MAIN(matmul, argc, argv, function, storage)
#define matmul_bf16_main(argc, argv, function) DRIVER_MAIN(matmul_bf16, argc, argv, function)
