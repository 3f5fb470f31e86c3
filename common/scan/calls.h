// scan/calls.h: how the functions of chapter 02-scan are called from another process.
#ifndef SCAN_CALLS_H
#define SCAN_CALLS_H

#ifdef WORKBOOK_SERVED
#include "remote/serve.h"
#include "scan/problem.h"
#else // in a judge
#include "scan/driver.h"
#include "remote/judge.h"
#endif

struct scan_call {
    int *d_out;
    const int *d_in;
    int *d_tmp;
    int n;
};

#ifdef WORKBOOK_SERVED
static void (*served)(int *, const int *, int *, int);

static void run_scan(void *arguments)
{
    struct scan_call *c = (struct scan_call *)arguments;
    served(c->d_out, c->d_in, c->d_tmp, c->n);
}

static inline int serve_scan(struct invocation own, void (*scan)(int *, const int *, int *, int), enum kind kind,
                             int tile)
{
    void (*const run[])(void *) = {run_scan};
    const int64_t numbers[4] = {kind, tile};
    served = scan;
    return serve(own, "scan", numbers, run);
}

#define scan_main(argc, argv, scan, kind, tile) serve_scan(INVOCATION(argc, argv), scan, kind, tile)

#else
static const struct name NAMES[] = {{"INCLUSIVE", INCLUSIVE}, {"EXCLUSIVE", EXCLUSIVE}, {"WHOLE", WHOLE}, {NULL, 0}};

static void remote_scan(int *d_out, const int *d_in, int *d_tmp, int n)
{
    struct scan_call c = {d_out, d_in, d_tmp, n};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "scan"))
        drive_scan(argc, argv, remote_scan, (enum kind)asked->numbers[0], (int)asked->numbers[1], asked->file,
                   asked->todo_open);
}
#endif
#endif
