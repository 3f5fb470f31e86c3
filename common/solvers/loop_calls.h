// solvers/loop_calls.h: how the functions of step 09 of chapter 06-iterative-solvers are called from another process.
#ifndef SOLVERS_LOOP_CALLS_H
#define SOLVERS_LOOP_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/grid.h"
#include "device/solvers_stopping.h"
#include "remote/serve.h"
#else // in a judge
#include "solvers/loop_driver.h"
#include "remote/judge.h"
#endif

struct solve_call {
    float *d_x, *d_new, *d_sums;
    struct grid g;
    struct stop *d_stop;
    float *d_result;
};

#ifdef WORKBOOK_SERVED
typedef float *solve_function(float *, float *, float *, struct grid, struct stop *);
static solve_function *served[2];

static void run(struct solve_call *c, solve_function *solve)
{
    c->d_result = solve(c->d_x, c->d_new, c->d_sums, c->g, c->d_stop);
}

static void run_by_launch(void *arguments)
{
    run((struct solve_call *)arguments, served[0]);
}

static void run_by_graph(void *arguments)
{
    run((struct solve_call *)arguments, served[1]);
}

static inline int serve_loop(struct invocation own, solve_function *by_launch, solve_function *by_graph)
{
    void (*const run[])(void *) = {run_by_launch, run_by_graph};
    const int64_t numbers[4] = {};
    served[0] = by_launch;
    served[1] = by_graph;
    return serve(own, "loop", numbers, run);
}

#define loop_main(argc, argv, solve, solve_by_graph) serve_loop(INVOCATION(argc, argv), solve, solve_by_graph)

#else
static const struct name NAMES[] = {{NULL, 0}};

static float *remote_solve(int which, float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    struct solve_call c = {d_x, d_new, d_sums, g, d_stop, NULL};
    remote_call(which, &c, sizeof c);
    return c.d_result;
}

static float *remote_launch(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    return remote_solve(0, d_x, d_new, d_sums, g, d_stop);
}

static float *remote_graph(float *d_x, float *d_new, float *d_sums, struct grid g, struct stop *d_stop)
{
    return remote_solve(1, d_x, d_new, d_sums, g, d_stop);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "loop"))
        drive_loop(argc, argv, remote_launch, remote_graph, asked->file, asked->todo_open);
}
#endif
#endif
