// @topic@/calls.h: how the function of chapter @folder@ is called from another process.
#ifndef @TOPIC@_CALLS_H
#define @TOPIC@_CALLS_H

#ifdef WORKBOOK_SERVED
#include "remote/serve.h"
#else // in a judge
#include "@topic@/driver.h"
#include "remote/judge.h"
#endif

struct @topic@_call {
    int *d_out;
    const int *d_in;
    int n;
};

#ifdef WORKBOOK_SERVED
static void (*served)(int *, const int *, int);

static void run_served(void *arguments)
{
    struct @topic@_call *c = (struct @topic@_call *)arguments;
    served(c->d_out, c->d_in, c->n);
}

static inline int serve_@topic@(struct invocation own, void (*run)(int *, const int *, int))
{
    void (*const runs[])(void *) = {run_served};
    const int64_t numbers[4] = {};
    served = run;
    return serve(own, "@topic@", numbers, runs);
}

#define @topic@_main(argc, argv, run) serve_@topic@(INVOCATION(argc, argv), run)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void remote_@topic@(int *d_out, const int *d_in, int n)
{
    struct @topic@_call c = {d_out, d_in, n};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "@topic@"))
        drive_@topic@(argc, argv, remote_@topic@, asked->file, asked->todo_open);
}
#endif
#endif
