// @topic@/calls.h: how the function of chapter @folder@ is called from another process.
#ifndef @TOPIC@_CALLS_H
#define @TOPIC@_CALLS_H

#ifndef WORKBOOK_SERVED // in a judge
#include "@topic@/driver.h"
#endif
#include "remote/arguments.h"

typedef void @topic@_function(int *d_out, const int *d_in, int n);

#ifdef WORKBOOK_SERVED
#define @topic@_main(argc, argv, run) \
    remote::serve_function<@topic@_function>(INVOCATION(argc, argv), "@topic@", run)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "@topic@"))
        drive_@topic@(argc, argv, remote::call<@topic@_function>, asked->file, asked->todo_open);
}
#endif
#endif
