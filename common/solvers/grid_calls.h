// solvers/grid_calls.h: how the functions of steps 06 to 08 of chapter 06-iterative-solvers are called from another
// process.
#ifndef SOLVERS_GRID_CALLS_H
#define SOLVERS_GRID_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/grid.h"
#else // in a judge
#include "solvers/grid_driver.h"
#endif
#include "remote/arguments.h"

typedef float *solve_function(float *d_x, float *d_new, struct grid g, int sweeps);

#ifdef WORKBOOK_SERVED
#define plane_main(argc, argv, solve) remote::serve_function<solve_function>(INVOCATION(argc, argv), "plane", solve)
#define space_main(argc, argv, solve) remote::serve_function<solve_function>(INVOCATION(argc, argv), "space", solve)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "plane") || !strcmp(asked->driver, "space"))
        drive_grid(argc, argv, remote::call<solve_function>, !strcmp(asked->driver, "space"), asked->file,
                   asked->todo_open);
}
#endif
#endif
