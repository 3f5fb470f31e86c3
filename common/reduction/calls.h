// reduction/calls.h: how the functions of chapter 01-reduction are called from another process.
#ifndef REDUCTION_CALLS_H
#define REDUCTION_CALLS_H

#ifdef WORKBOOK_SERVED
#include "reduction/problem.h"
#else // in a judge
#include "reduction/driver.h"
#endif
#include "remote/arguments.h"

typedef void ints_function(int *d_out, const int *d_in, int *d_tmp, int n);
typedef void floats_function(float *d_out, const float *d_in, float *d_tmp, int n);

#ifdef WORKBOOK_SERVED
#define reduction_main(argc, argv, reduce) \
    remote::serve_function<ints_function>(INVOCATION(argc, argv), "reduction", reduce)
#define reduction_float_main(argc, argv, reduce, order) \
    remote::serve_function<floats_function>(INVOCATION(argc, argv), "reduction_float", reduce, order)

#else
static const struct name NAMES[] = {{"ANY_ORDER", ANY_ORDER}, {"PAIRWISE", PAIRWISE}, {NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "reduction"))
        drive_ints(argc, argv, remote::call<ints_function>, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "reduction_float"))
        drive_floats(argc, argv, remote::call<floats_function>, (enum order)asked->numbers[0], asked->file,
                     asked->todo_open);
}
#endif
#endif
