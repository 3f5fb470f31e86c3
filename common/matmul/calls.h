// matmul/calls.h: how the functions of chapter 07-matmul are called from another process.
#ifndef MATMUL_CALLS_H
#define MATMUL_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/matmul_shape.h"
#include "matmul/problem.h"
#include "remote/serve.h"
#else // in a judge
#include "matmul/driver.h"
#include "remote/judge.h"
#endif

struct multiply_call {
    float *d_c;
    const void *d_a, *d_b;
    struct shape s;
};

#ifdef WORKBOOK_SERVED
static void (*served_floats)(float *, const float *, const float *, struct shape);
static void (*served_bf16)(float *, const unsigned short *, const unsigned short *, struct shape);

static void run_floats(void *arguments)
{
    struct multiply_call *c = (struct multiply_call *)arguments;
    served_floats(c->d_c, (const float *)c->d_a, (const float *)c->d_b, c->s);
}

static void run_bf16(void *arguments)
{
    struct multiply_call *c = (struct multiply_call *)arguments;
    served_bf16(c->d_c, (const unsigned short *)c->d_a, (const unsigned short *)c->d_b, c->s);
}

static inline int serve_floats(struct invocation own,
                               void (*multiply)(float *, const float *, const float *, struct shape),
                               enum storage storage)
{
    void (*const run[])(void *) = {run_floats};
    const int64_t numbers[4] = {storage};
    served_floats = multiply;
    return serve(own, "matmul", numbers, run);
}

static inline int serve_bf16(struct invocation own,
                             void (*multiply)(float *, const unsigned short *, const unsigned short *, struct shape))
{
    void (*const run[])(void *) = {run_bf16};
    const int64_t numbers[4] = {};
    served_bf16 = multiply;
    return serve(own, "matmul_bf16", numbers, run);
}

#define matmul_main(argc, argv, multiply, storage) serve_floats(INVOCATION(argc, argv), multiply, storage)
#define matmul_bf16_main(argc, argv, multiply) serve_bf16(INVOCATION(argc, argv), multiply)

#else
static const struct name NAMES[] = {{"PLAIN", PLAIN}, {"TRANSPOSED", TRANSPOSED}, {NULL, 0}};

static void remote_floats(float *d_c, const float *d_a, const float *d_b, struct shape s)
{
    struct multiply_call c = {d_c, d_a, d_b, s};
    remote_call(0, &c, sizeof c);
}

static void remote_bf16(float *d_c, const unsigned short *d_a, const unsigned short *d_b, struct shape s)
{
    struct multiply_call c = {d_c, d_a, d_b, s};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "matmul"))
        drive_floats(argc, argv, remote_floats, (enum storage)asked->numbers[0], asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "matmul_bf16"))
        drive_bf16(argc, argv, remote_bf16, asked->file, asked->todo_open);
}
#endif
#endif
