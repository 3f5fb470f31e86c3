// histogram/calls.h: how the functions of chapter 03-histogram are called from another process.
#ifndef HISTOGRAM_CALLS_H
#define HISTOGRAM_CALLS_H

#ifndef WORKBOOK_SERVED // in a judge
#include "histogram/driver.h"
#endif
#include "remote/arguments.h"

typedef void fixed_function(unsigned *d_bins, const unsigned char *d_in, size_t n);
typedef void any_function(unsigned *d_bins, const unsigned char *d_in, size_t n, int bins);

#ifdef WORKBOOK_SERVED
#define histogram_main(argc, argv, histogram, bins) \
    remote::serve_function<fixed_function>(INVOCATION(argc, argv), "histogram", histogram, bins)
#define histogram_any_main(argc, argv, histogram) \
    remote::serve_function<any_function>(INVOCATION(argc, argv), "histogram_any", histogram)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "histogram"))
        drive_fixed(argc, argv, remote::call<fixed_function>, (int)asked->numbers[0], asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "histogram_any"))
        drive_any(argc, argv, remote::call<any_function>, asked->file, asked->todo_open);
}
#endif
#endif
