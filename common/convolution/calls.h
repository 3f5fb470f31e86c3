// convolution/calls.h: how the functions of chapter 08-convolution are called from another process.
#ifndef CONVOLUTION_CALLS_H
#define CONVOLUTION_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/plane.h"
#else // in a judge
#include "convolution/driver.h"
#endif
#include "remote/arguments.h"

typedef void signal_function(float *d_out, const float *d_in, int n, const float *d_filter, int radius);
typedef void image_function(float *d_out, const float *d_in, const float *d_filter, struct plane p);
typedef void separable_function(float *d_out, float *d_scratch, const float *d_in, const float *d_filter,
                                struct plane p);

#ifdef WORKBOOK_SERVED
#define signal_main(argc, argv, filter) \
    remote::serve_function<signal_function>(INVOCATION(argc, argv), "signal", filter)
#define image_main(argc, argv, filter) remote::serve_function<image_function>(INVOCATION(argc, argv), "image", filter)
#define separable_main(argc, argv, filter) \
    remote::serve_function<separable_function>(INVOCATION(argc, argv), "separable", filter)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "signal"))
        drive_signal(argc, argv, remote::call<signal_function>, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "image"))
        drive_image(argc, argv, remote::call<image_function>, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "separable"))
        drive_separable(argc, argv, remote::call<separable_function>, asked->file, asked->todo_open);
}
#endif
#endif
