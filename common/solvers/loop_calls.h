// solvers/loop_calls.h: how the functions of step 09 of chapter 06-iterative-solvers are called from another process.
#ifndef SOLVERS_LOOP_CALLS_H
#define SOLVERS_LOOP_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/grid.h"
#include "device/solvers_stopping.h"
#else // in a judge
#include "solvers/loop_driver.h"
#endif
#include "remote/arguments.h"

typedef float *solve_function(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop);

#ifdef WORKBOOK_SERVED
#define loop_main(argc, argv, solve, solve_by_graph) \
    remote::serve_functions<solve_function>(INVOCATION(argc, argv), "loop", solve, solve_by_graph)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "loop"))
        drive_loop(argc, argv, remote::call<solve_function, 0>, remote::call<solve_function, 1>, asked->file,
                   asked->todo_open);
}
#endif
#endif
