// convolution/calls.h: how the functions of chapter 08-convolution are called from another process.
#ifndef CONVOLUTION_CALLS_H
#define CONVOLUTION_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/plane.h"
#include "remote/serve.h"
#else // in a judge
#include "convolution/driver.h"
#include "remote/judge.h"
#endif

struct filter_call {
    float *d_out, *d_scratch;
    const float *d_in, *d_filter;
    struct plane p; // of a signal, which has a height of 1, too
};

#ifdef WORKBOOK_SERVED
static void (*served_signal)(float *, const float *, int, const float *, int);
static void (*served_image)(float *, const float *, const float *, struct plane);
static void (*served_separable)(float *, float *, const float *, const float *, struct plane);

static void run_filter(void *arguments)
{
    struct filter_call *c = (struct filter_call *)arguments;
    if (served_signal)
        served_signal(c->d_out, c->d_in, c->p.width, c->d_filter, c->p.radius);
    else if (served_image)
        served_image(c->d_out, c->d_in, c->d_filter, c->p);
    else
        served_separable(c->d_out, c->d_scratch, c->d_in, c->d_filter, c->p);
}

#define DEFINE_SERVED(name, ...) \
    static inline int serve_##name(struct invocation own, void (*filter)(__VA_ARGS__)) \
    { \
        void (*const run[])(void *) = {run_filter}; \
        const int64_t numbers[4] = {}; \
        served_##name = filter; \
        return serve(own, #name, numbers, run); \
    }
DEFINE_SERVED(signal, float *, const float *, int, const float *, int)
DEFINE_SERVED(image, float *, const float *, const float *, struct plane)
DEFINE_SERVED(separable, float *, float *, const float *, const float *, struct plane)

#define signal_main(argc, argv, filter) serve_signal(INVOCATION(argc, argv), filter)
#define image_main(argc, argv, filter) serve_image(INVOCATION(argc, argv), filter)
#define separable_main(argc, argv, filter) serve_separable(INVOCATION(argc, argv), filter)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void remote_signal(float *d_out, const float *d_in, int n, const float *d_filter, int radius)
{
    struct filter_call c = {d_out, NULL, d_in, d_filter, {n, 1, radius, 0, 0}};
    remote_call(0, &c, sizeof c);
}

static void remote_image(float *d_out, const float *d_in, const float *d_filter, struct plane p)
{
    struct filter_call c = {d_out, NULL, d_in, d_filter, p};
    remote_call(0, &c, sizeof c);
}

static void remote_separable(float *d_out, float *d_scratch, const float *d_in, const float *d_filter, struct plane p)
{
    struct filter_call c = {d_out, d_scratch, d_in, d_filter, p};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "signal"))
        drive_signal(argc, argv, remote_signal, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "image"))
        drive_image(argc, argv, remote_image, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "separable"))
        drive_separable(argc, argv, remote_separable, asked->file, asked->todo_open);
}
#endif
#endif
