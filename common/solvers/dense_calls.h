// solvers/dense_calls.h: how the functions of steps 01 to 04 of chapter 06-iterative-solvers are called from another
// process.
#ifndef SOLVERS_DENSE_CALLS_H
#define SOLVERS_DENSE_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/solvers_stopping.h"
#else // in a judge
#include "solvers/dense_driver.h"
#endif
#include "remote/arguments.h"

typedef float *sweeps_function(float *d_x, float *d_new, const float *d_a, const float *d_f, int n, int pitch,
                               float alpha, int sweeps);

// The stop is the host's: it crosses as a whole, and comes back.
struct until_call {
    float *d_x, *d_new, *d_sum;
    const float *d_a, *d_f;
    int n, pitch;
    struct stop stop;
    float *d_result;
};

#ifdef WORKBOOK_SERVED
static float *(*served_until)(float *, float *, float *, const float *, const float *, int, int, struct stop *);

static void run_until(void *arguments)
{
    struct until_call *c = (struct until_call *)arguments;
    c->d_result = served_until(c->d_x, c->d_new, c->d_sum, c->d_a, c->d_f, c->n, c->pitch, &c->stop);
}

static inline int serve_until(struct invocation own, float *(*solve)(float *, float *, float *, const float *,
                                                                     const float *, int, int, struct stop *))
{
    void (*const run[])(void *) = {run_until};
    const int64_t numbers[4] = {};
    served_until = solve;
    return serve(own, "converge", numbers, run);
}

#define simple_main(argc, argv, solve) remote::serve_function<sweeps_function>(INVOCATION(argc, argv), "simple", solve)
#define jacobi_main(argc, argv, solve) remote::serve_function<sweeps_function>(INVOCATION(argc, argv), "jacobi", solve)
#define converge_main(argc, argv, solve) serve_until(INVOCATION(argc, argv), solve)

#else
static const struct name NAMES[] = {{NULL, 0}};

static float *remote_until(float *d_x, float *d_new, float *d_sum, const float *d_a, const float *d_f, int n, int pitch,
                           struct stop *stop)
{
    struct until_call c = {d_x, d_new, d_sum, d_a, d_f, n, pitch, *stop, NULL};
    remote_call(0, &c, sizeof c);
    *stop = c.stop;
    return c.d_result;
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "simple"))
        drive_fixed(argc, argv, SIMPLE, remote::call<sweeps_function>, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "jacobi"))
        drive_fixed(argc, argv, JACOBI, remote::call<sweeps_function>, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "converge"))
        drive_until(argc, argv, remote_until, asked->file, asked->todo_open);
}
#endif
#endif
