// scan/calls.h: how the functions of chapter 02-scan are called from another process.
#ifndef SCAN_CALLS_H
#define SCAN_CALLS_H

#ifdef WORKBOOK_SERVED
#include "scan/problem.h"
#else // in a judge
#include "scan/driver.h"
#endif
#include "remote/arguments.h"

typedef void scan_function(int *d_out, const int *d_in, int *d_tmp, int n);

#ifdef WORKBOOK_SERVED
#define scan_main(argc, argv, scan, kind, tile) \
    remote::serve_function<scan_function>(INVOCATION(argc, argv), "scan", scan, kind, tile)

#else
static const struct name NAMES[] = {{"INCLUSIVE", INCLUSIVE}, {"EXCLUSIVE", EXCLUSIVE}, {"WHOLE", WHOLE}, {NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "scan"))
        drive_scan(argc, argv, remote::call<scan_function>, (enum kind)asked->numbers[0], (int)asked->numbers[1],
                   asked->file, asked->todo_open);
}
#endif
#endif
