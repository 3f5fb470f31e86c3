// solvers/sparse_calls.h: how the functions of step 05 of chapter 06-iterative-solvers are called from another process.
#ifndef SOLVERS_SPARSE_CALLS_H
#define SOLVERS_SPARSE_CALLS_H

#ifdef WORKBOOK_SERVED
#include "solvers/sparse_problem.h"
#else // in a judge
#include "solvers/sparse_driver.h"
#endif
#include "remote/arguments.h"

typedef float *solve_function(float *d_x, float *d_new, const float *d_f, struct sparse a, int sweeps);

#ifdef WORKBOOK_SERVED
#define sparse_main(argc, argv, solve) remote::serve_function<solve_function>(INVOCATION(argc, argv), "sparse", solve)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "sparse"))
        drive_sparse(argc, argv, remote::call<solve_function>, asked->file, asked->todo_open);
}
#endif
#endif
