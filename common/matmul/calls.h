// matmul/calls.h: how the functions of chapter 07-matmul are called from another process.
#ifndef MATMUL_CALLS_H
#define MATMUL_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/matmul_shape.h"
#include "matmul/problem.h"
#else // in a judge
#include "matmul/driver.h"
#endif
#include "remote/arguments.h"

typedef void floats_function(float *d_c, const float *d_a, const float *d_b, struct shape s);
typedef void bf16_function(float *d_c, const unsigned short *d_a, const unsigned short *d_b, struct shape s);

#ifdef WORKBOOK_SERVED
#define matmul_main(argc, argv, multiply, storage) \
    remote::serve_function<floats_function>(INVOCATION(argc, argv), "matmul", multiply, storage)
#define matmul_bf16_main(argc, argv, multiply) \
    remote::serve_function<bf16_function>(INVOCATION(argc, argv), "matmul_bf16", multiply)

#else
static const struct name NAMES[] = {{"PLAIN", PLAIN}, {"TRANSPOSED", TRANSPOSED}, {NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "matmul"))
        drive_floats(argc, argv, remote::call<floats_function>, (enum storage)asked->numbers[0], asked->file,
                     asked->todo_open);
    if (!strcmp(asked->driver, "matmul_bf16"))
        drive_bf16(argc, argv, remote::call<bf16_function>, asked->file, asked->todo_open);
}
#endif
#endif
