// basics/calls.h: how the functions of steps 02 to 06 of chapter 00-basics are called from another
// process.
#ifndef BASICS_CALLS_H
#define BASICS_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/image.h"
#include "device/particles.h"
#include "remote/serve.h"
#else // in a judge
#include "basics/driver.h"
#include "remote/judge.h"
#endif

struct saxpy_call {
    float *d_y;
    const float *d_x;
    size_t n;
    float a;
};

struct grey_call {
    struct image grey, colour;
};

struct drift_call {
    float *d_particles;
    int n;
    float dt;
    enum layout layout;
};

struct transpose_call {
    float *d_out;
    const float *d_in;
    int width, height;
};

struct keep_call {
    int *d_out, *d_count;
    const int *d_in;
    int n;
};

#ifdef WORKBOOK_SERVED
// One of them, by main.
static void (*served_saxpy)(float *, const float *, float, size_t);
static void (*served_grey)(struct image, struct image);
static void (*served_drift)(float *, int, float, enum layout);
static void (*served_transpose)(float *, const float *, int, int);
static void (*served_keep)(int *, int *, const int *, int);

static inline void run_saxpy(void *arguments)
{
    struct saxpy_call *c = (struct saxpy_call *)arguments;
    served_saxpy(c->d_y, c->d_x, c->a, c->n);
}

static inline void run_grey(void *arguments)
{
    struct grey_call *c = (struct grey_call *)arguments;
    served_grey(c->grey, c->colour);
}

static inline void run_drift(void *arguments)
{
    struct drift_call *c = (struct drift_call *)arguments;
    served_drift(c->d_particles, c->n, c->dt, c->layout);
}

static inline void run_transpose(void *arguments)
{
    struct transpose_call *c = (struct transpose_call *)arguments;
    served_transpose(c->d_out, c->d_in, c->width, c->height);
}

static inline void run_keep(void *arguments)
{
    struct keep_call *c = (struct keep_call *)arguments;
    served_keep(c->d_out, c->d_count, c->d_in, c->n);
}

static inline int serve_basics(struct invocation own, const char *driver, void (*run)(void *))
{
    void (*const functions[])(void *) = {run};
    const int64_t numbers[4] = {};
    return serve(own, driver, numbers, functions);
}

#define SERVE(argc, argv, name, function) \
    (served_##name = (function), serve_basics(INVOCATION(argc, argv), #name, run_##name))
#define saxpy_main(argc, argv, function) SERVE(argc, argv, saxpy, function)
#define grey_main(argc, argv, function) SERVE(argc, argv, grey, function)
#define drift_main(argc, argv, function) SERVE(argc, argv, drift, function)
#define transpose_main(argc, argv, function) SERVE(argc, argv, transpose, function)
#define keep_main(argc, argv, function) SERVE(argc, argv, keep, function)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void remote_saxpy(float *d_y, const float *d_x, float a, size_t n)
{
    struct saxpy_call c = {d_y, d_x, n, a};
    remote_call(0, &c, sizeof c);
}

static void remote_grey(struct image grey, struct image colour)
{
    struct grey_call c = {grey, colour};
    remote_call(0, &c, sizeof c);
}

static void remote_drift(float *d_particles, int n, float dt, enum layout layout)
{
    struct drift_call c = {d_particles, n, dt, layout};
    remote_call(0, &c, sizeof c);
}

static void remote_transpose(float *d_out, const float *d_in, int width, int height)
{
    struct transpose_call c = {d_out, d_in, width, height};
    remote_call(0, &c, sizeof c);
}

static void remote_keep(int *d_out, int *d_count, const int *d_in, int n)
{
    struct keep_call c = {d_out, d_count, d_in, n};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    const char *driver = asked->driver;
    if (!strcmp(driver, "saxpy"))
        drive_saxpy(argc, argv, remote_saxpy, asked->file, asked->todo_open);
    if (!strcmp(driver, "grey"))
        drive_grey(argc, argv, remote_grey, asked->file, asked->todo_open);
    if (!strcmp(driver, "drift"))
        drive_drift(argc, argv, remote_drift, asked->file, asked->todo_open);
    if (!strcmp(driver, "transpose"))
        drive_transpose(argc, argv, remote_transpose, asked->file, asked->todo_open);
    if (!strcmp(driver, "keep"))
        drive_keep(argc, argv, remote_keep, asked->file, asked->todo_open);
}
#endif
#endif
