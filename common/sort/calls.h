// sort/calls.h: how the functions of chapter 04-sort are called from another process.
#ifndef SORT_CALLS_H
#define SORT_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/sort_keys.h"
#else // in a judge
#include "sort/driver.h"
#endif
#include "remote/arguments.h"

typedef void keys_function(unsigned *d_out, const unsigned *d_in, unsigned *d_tmp, int n);
typedef void records_function(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order);

#ifdef WORKBOOK_SERVED
#define sort_keys_main(argc, argv, sort, order) \
    remote::serve_function<keys_function>(INVOCATION(argc, argv), "sort_keys", sort, order)
#define sort_records_main(argc, argv, sort) \
    remote::serve_function<records_function>(INVOCATION(argc, argv), "sort_records", sort)

#else
static const struct name NAMES[] = {{"UNSIGNED", UNSIGNED}, {"SIGNED", SIGNED}, {"FLOATS", FLOATS}, {NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "sort_keys"))
        drive_keys(argc, argv, remote::call<keys_function>, (enum order)asked->numbers[0], asked->file,
                   asked->todo_open);
    if (!strcmp(asked->driver, "sort_records"))
        drive_records(argc, argv, remote::call<records_function>, asked->file, asked->todo_open);
}
#endif
#endif
