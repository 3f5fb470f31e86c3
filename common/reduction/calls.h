// reduction/calls.h: how the functions of chapter 01-reduction are called from another process.
#ifndef REDUCTION_CALLS_H
#define REDUCTION_CALLS_H

#ifdef WORKBOOK_SERVED
#include "reduction/problem.h"
#include "remote/serve.h"
#else // in a judge
#include "reduction/driver.h"
#include "remote/judge.h"
#endif

struct ints_call {
    int *d_out;
    const int *d_in;
    int *d_tmp;
    int n;
};

struct floats_call {
    float *d_out;
    const float *d_in;
    float *d_tmp;
    int n;
};

#ifdef WORKBOOK_SERVED
static void (*served_ints)(int *, const int *, int *, int);
static void (*served_floats)(float *, const float *, float *, int);

static void run_ints(void *arguments)
{
    struct ints_call *c = (struct ints_call *)arguments;
    served_ints(c->d_out, c->d_in, c->d_tmp, c->n);
}

static void run_floats(void *arguments)
{
    struct floats_call *c = (struct floats_call *)arguments;
    served_floats(c->d_out, c->d_in, c->d_tmp, c->n);
}

static inline int serve_ints(struct invocation own, void (*reduce)(int *, const int *, int *, int))
{
    void (*const run[])(void *) = {run_ints};
    const int64_t numbers[4] = {};
    served_ints = reduce;
    return serve(own, "reduction", numbers, run);
}

static inline int serve_floats(struct invocation own, void (*reduce)(float *, const float *, float *, int),
                               enum order order)
{
    void (*const run[])(void *) = {run_floats};
    const int64_t numbers[4] = {order};
    served_floats = reduce;
    return serve(own, "reduction_float", numbers, run);
}

#define reduction_main(argc, argv, reduce) serve_ints(INVOCATION(argc, argv), reduce)
#define reduction_float_main(argc, argv, reduce, order) serve_floats(INVOCATION(argc, argv), reduce, order)

#else
static const struct name NAMES[] = {{"ANY_ORDER", ANY_ORDER}, {"PAIRWISE", PAIRWISE}, {NULL, 0}};

static void remote_ints(int *d_out, const int *d_in, int *d_tmp, int n)
{
    struct ints_call c = {d_out, d_in, d_tmp, n};
    remote_call(0, &c, sizeof c);
}

static void remote_floats(float *d_out, const float *d_in, float *d_tmp, int n)
{
    struct floats_call c = {d_out, d_in, d_tmp, n};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "reduction"))
        drive_ints(argc, argv, remote_ints, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "reduction_float"))
        drive_floats(argc, argv, remote_floats, (enum order)asked->numbers[0], asked->file, asked->todo_open);
}
#endif
#endif
