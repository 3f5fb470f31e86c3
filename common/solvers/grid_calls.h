// solvers/grid_calls.h: how the functions of steps 06 to 08 of chapter 06-iterative-solvers are called from another
// process.
#ifndef SOLVERS_GRID_CALLS_H
#define SOLVERS_GRID_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/grid.h"
#include "remote/serve.h"
#else // in a judge
#include "solvers/grid_driver.h"
#include "remote/judge.h"
#endif

struct solve_call {
    float *d_x, *d_new;
    struct grid g;
    int sweeps;
    float *d_result;
};

#ifdef WORKBOOK_SERVED
static float *(*served)(float *, float *, struct grid, int);

static void run_solve(void *arguments)
{
    struct solve_call *c = (struct solve_call *)arguments;
    c->d_result = served(c->d_x, c->d_new, c->g, c->sweeps);
}

static inline int serve_solve(struct invocation own, const char *driver,
                              float *(*solve)(float *, float *, struct grid, int))
{
    void (*const run[])(void *) = {run_solve};
    const int64_t numbers[4] = {};
    served = solve;
    return serve(own, driver, numbers, run);
}

#define plane_main(argc, argv, solve) serve_solve(INVOCATION(argc, argv), "plane", solve)
#define space_main(argc, argv, solve) serve_solve(INVOCATION(argc, argv), "space", solve)

#else
static const struct name NAMES[] = {{NULL, 0}};

static float *remote_solve(float *d_x, float *d_new, struct grid g, int sweeps)
{
    struct solve_call c = {d_x, d_new, g, sweeps, NULL};
    remote_call(0, &c, sizeof c);
    return c.d_result;
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "plane") || !strcmp(asked->driver, "space"))
        drive_grid(argc, argv, remote_solve, !strcmp(asked->driver, "space"), asked->file, asked->todo_open);
}
#endif
#endif
