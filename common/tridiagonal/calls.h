// tridiagonal/calls.h: how the functions of chapter 05-tridiagonal are called from another process.
#ifndef TRIDIAGONAL_CALLS_H
#define TRIDIAGONAL_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/tridiagonal_equations.h"
#include "remote/serve.h"
#include "tridiagonal/problem.h"
#else // in a judge
#include "tridiagonal/driver.h"
#include "remote/judge.h"
#endif

struct solve_call {
    float *d_x;
    struct bands d;
    float *d_tmp;
    int size, systems;
};

#ifdef WORKBOOK_SERVED
static void (*served)(float *, struct bands, float *, int, int);

static void run_solve(void *arguments)
{
    struct solve_call *c = (struct solve_call *)arguments;
    served(c->d_x, c->d, c->d_tmp, c->size, c->systems);
}

static inline int serve_solve(struct invocation own, void (*solve)(float *, struct bands, float *, int, int),
                              enum layout layout, enum method method, int limit)
{
    void (*const run[])(void *) = {run_solve};
    const int64_t numbers[4] = {layout, method, limit};
    served = solve;
    return serve(own, "tridiagonal", numbers, run);
}

#define tridiagonal_main(argc, argv, solve, layout, method, limit) \
    serve_solve(INVOCATION(argc, argv), solve, layout, method, limit)

#else
static const struct name NAMES[] = {{"CONTIGUOUS", CONTIGUOUS},
                                    {"INTERLEAVED", INTERLEAVED},
                                    {"DIRECT", DIRECT},
                                    {"PARALLEL", PARALLEL},
                                    {"LONG", LONG},
                                    {NULL, 0}};

static void remote_solve(float *d_x, struct bands d, float *d_tmp, int size, int systems)
{
    struct solve_call c = {d_x, d, d_tmp, size, systems};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    const int64_t *numbers = asked->numbers;
    if (!strcmp(asked->driver, "tridiagonal"))
        drive_tridiagonal(argc, argv, remote_solve, (enum layout)numbers[0], (enum method)numbers[1], (int)numbers[2],
                          asked->file, asked->todo_open);
}
#endif
#endif
