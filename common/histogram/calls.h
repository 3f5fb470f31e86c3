// histogram/calls.h: how the functions of chapter 03-histogram are called from another process.
#ifndef HISTOGRAM_CALLS_H
#define HISTOGRAM_CALLS_H

#ifdef WORKBOOK_SERVED
#include "remote/serve.h"
#else // in a judge
#include "histogram/driver.h"
#include "remote/judge.h"
#endif

struct histogram_call {
    unsigned *d_bins;
    const unsigned char *d_in;
    size_t n;
    int bins; // where it is asked for
};

#ifdef WORKBOOK_SERVED
static void (*served_fixed)(unsigned *, const unsigned char *, size_t);
static void (*served_any)(unsigned *, const unsigned char *, size_t, int);

static void run_fixed(void *arguments)
{
    struct histogram_call *c = (struct histogram_call *)arguments;
    served_fixed(c->d_bins, c->d_in, c->n);
}

static void run_any(void *arguments)
{
    struct histogram_call *c = (struct histogram_call *)arguments;
    served_any(c->d_bins, c->d_in, c->n, c->bins);
}

static inline int serve_fixed(struct invocation own, void (*histogram)(unsigned *, const unsigned char *, size_t),
                              int bins)
{
    void (*const run[])(void *) = {run_fixed};
    const int64_t numbers[4] = {bins};
    served_fixed = histogram;
    return serve(own, "histogram", numbers, run);
}

static inline int serve_any(struct invocation own, void (*histogram)(unsigned *, const unsigned char *, size_t, int))
{
    void (*const run[])(void *) = {run_any};
    const int64_t numbers[4] = {};
    served_any = histogram;
    return serve(own, "histogram_any", numbers, run);
}

#define histogram_main(argc, argv, histogram, bins) serve_fixed(INVOCATION(argc, argv), histogram, bins)
#define histogram_any_main(argc, argv, histogram) serve_any(INVOCATION(argc, argv), histogram)

#else
static const struct name NAMES[] = {{NULL, 0}};

static void remote_fixed(unsigned *d_bins, const unsigned char *d_in, size_t n)
{
    struct histogram_call c = {d_bins, d_in, n, 0};
    remote_call(0, &c, sizeof c);
}

static void remote_any(unsigned *d_bins, const unsigned char *d_in, size_t n, int bins)
{
    struct histogram_call c = {d_bins, d_in, n, bins};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "histogram"))
        drive_fixed(argc, argv, remote_fixed, (int)asked->numbers[0], asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "histogram_any"))
        drive_any(argc, argv, remote_any, asked->file, asked->todo_open);
}
#endif
#endif
