// basics/calls.h: how the functions of steps 02 to 06 of chapter 00-basics are called from another
// process.
#ifndef BASICS_CALLS_H
#define BASICS_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/image.h"
#include "device/particles.h"
#else // in a judge
#include "basics/driver.h"
#endif
#include "remote/arguments.h"

typedef void saxpy_function(float *d_y, const float *d_x, float a, size_t n);
typedef void grey_function(struct image grey, struct image colour);
typedef void drift_function(float *d_particles, int n, float dt, enum layout layout);
typedef void transpose_function(float *d_out, const float *d_in, int width, int height);
typedef void keep_function(int *d_out, int *d_count, const int *d_in, int n);

#ifdef WORKBOOK_SERVED
#define SERVE(argc, argv, name, f) remote::serve_function<name##_function>(INVOCATION(argc, argv), #name, f)
#define saxpy_main(argc, argv, function) SERVE(argc, argv, saxpy, function)
#define grey_main(argc, argv, function) SERVE(argc, argv, grey, function)
#define drift_main(argc, argv, function) SERVE(argc, argv, drift, function)
#define transpose_main(argc, argv, function) SERVE(argc, argv, transpose, function)
#define keep_main(argc, argv, function) SERVE(argc, argv, keep, function)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    const char *driver = asked->driver;
    if (!strcmp(driver, "saxpy"))
        drive_saxpy(argc, argv, remote::call<saxpy_function>, asked->file, asked->todo_open);
    if (!strcmp(driver, "grey"))
        drive_grey(argc, argv, remote::call<grey_function>, asked->file, asked->todo_open);
    if (!strcmp(driver, "drift"))
        drive_drift(argc, argv, remote::call<drift_function>, asked->file, asked->todo_open);
    if (!strcmp(driver, "transpose"))
        drive_transpose(argc, argv, remote::call<transpose_function>, asked->file, asked->todo_open);
    if (!strcmp(driver, "keep"))
        drive_keep(argc, argv, remote::call<keep_function>, asked->file, asked->todo_open);
}
#endif
#endif
