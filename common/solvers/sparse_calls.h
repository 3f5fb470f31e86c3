// solvers/sparse_calls.h: how the functions of step 05 of chapter 06-iterative-solvers are called from another process.
#ifndef SOLVERS_SPARSE_CALLS_H
#define SOLVERS_SPARSE_CALLS_H

#ifdef WORKBOOK_SERVED
#include "remote/serve.h"
#include "solvers/sparse_problem.h"
#else // in a judge
#include "solvers/sparse_driver.h"
#include "remote/judge.h"
#endif

struct solve_call {
    float *d_x, *d_new;
    const float *d_f;
    struct sparse a;
    int sweeps;
    float *d_result;
};

#ifdef WORKBOOK_SERVED
static float *(*served)(float *, float *, const float *, struct sparse, int);

static void run_solve(void *arguments)
{
    struct solve_call *c = (struct solve_call *)arguments;
    c->d_result = served(c->d_x, c->d_new, c->d_f, c->a, c->sweeps);
}

static inline int serve_solve(struct invocation own,
                              float *(*solve)(float *, float *, const float *, struct sparse, int))
{
    void (*const run[])(void *) = {run_solve};
    const int64_t numbers[4] = {};
    served = solve;
    return serve(own, "sparse", numbers, run);
}

#define sparse_main(argc, argv, solve) serve_solve(INVOCATION(argc, argv), solve)

#else
static const struct name NAMES[] = {{NULL, 0}};

static float *remote_solve(float *d_x, float *d_new, const float *d_f, struct sparse a, int sweeps)
{
    struct solve_call c = {d_x, d_new, d_f, a, sweeps, NULL};
    remote_call(0, &c, sizeof c);
    return c.d_result;
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "sparse"))
        drive_sparse(argc, argv, remote_solve, asked->file, asked->todo_open);
}
#endif
#endif
