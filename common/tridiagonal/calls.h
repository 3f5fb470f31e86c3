// tridiagonal/calls.h: how the functions of chapter 05-tridiagonal are called from another process.
#ifndef TRIDIAGONAL_CALLS_H
#define TRIDIAGONAL_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/tridiagonal_equations.h"
#include "tridiagonal/problem.h"
#else // in a judge
#include "tridiagonal/driver.h"
#endif
#include "remote/arguments.h"

typedef void solve_function(float *d_x, struct bands d, float *d_tmp, int size, int systems);

#ifdef WORKBOOK_SERVED
#define tridiagonal_main(argc, argv, solve, layout, method, limit) \
    remote::serve_function<solve_function>(INVOCATION(argc, argv), "tridiagonal", solve, layout, method, limit)

#else
static const struct name NAMES[] = {{"CONTIGUOUS", CONTIGUOUS},
                                    {"INTERLEAVED", INTERLEAVED},
                                    {"DIRECT", DIRECT},
                                    {"PARALLEL", PARALLEL},
                                    {"LONG", LONG},
                                    {NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    const int64_t *numbers = asked->numbers;
    if (!strcmp(asked->driver, "tridiagonal"))
        drive_tridiagonal(argc, argv, remote::call<solve_function>, (enum layout)numbers[0], (enum method)numbers[1],
                          (int)numbers[2], asked->file, asked->todo_open);
}
#endif
#endif
