// hopper/calls.h: how the functions of chapter 10-hopper are called from another process.
#ifndef HOPPER_CALLS_H
#define HOPPER_CALLS_H

#ifndef WORKBOOK_SERVED // in a judge
#include "hopper/driver.h"
#endif
#include "remote/arguments.h"

typedef void cluster_function(unsigned *d_counts, const unsigned short *d_in, size_t n, int bins);
typedef void mirror_function(int *d_out, const int *d_in, size_t n);

#ifdef WORKBOOK_SERVED
#define cluster_main(argc, argv, histogram) \
    remote::serve_function<cluster_function>(INVOCATION(argc, argv), "cluster", histogram)
#define mirror_main(argc, argv, mirror) \
    remote::serve_function<mirror_function>(INVOCATION(argc, argv), "mirror", mirror)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "cluster"))
        drive_cluster(argc, argv, remote::call<cluster_function>, asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "mirror"))
        drive_mirror(argc, argv, remote::call<mirror_function>, asked->file, asked->todo_open);
}
#endif
#endif
