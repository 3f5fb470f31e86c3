// gather/calls.h: how the functions of chapter 09-gather are called from another process.
#ifndef GATHER_CALLS_H
#define GATHER_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/bins.h"
#include "gather/problem.h"
#else // in a judge
#include "gather/driver.h"
#endif
#include "remote/arguments.h"

typedef void all_function(float *d_map, const float4 *d_atoms, int n, struct plane p);
typedef void binned_function(float *d_map, const float4 *d_atoms, int n, struct plane p, struct bins bins);

#ifdef WORKBOOK_SERVED
#define gather_main(argc, argv, potential, reach) \
    remote::serve_function<all_function>(INVOCATION(argc, argv), "gather", potential, reach)
#define binned_main(argc, argv, potential, spread) \
    remote::serve_function<binned_function>(INVOCATION(argc, argv), "binned", potential, spread)

#else
static const struct name NAMES[] = {
    {"UNLIMITED", UNLIMITED}, {"WITHIN_CUTOFF", WITHIN_CUTOFF}, {"EVEN", EVEN}, {"CROWDED", CROWDED}, {NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "gather"))
        drive_all(argc, argv, remote::call<all_function>, (enum reach)asked->numbers[0], asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "binned"))
        drive_binned(argc, argv, remote::call<binned_function>, (enum spread)asked->numbers[0], asked->file,
                     asked->todo_open);
}
#endif
#endif
