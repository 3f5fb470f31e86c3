// sort/calls.h: how the functions of chapter 04-sort are called from another process.
#ifndef SORT_CALLS_H
#define SORT_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/sort_keys.h"
#include "remote/serve.h"
#else // in a judge
#include "sort/driver.h"
#include "remote/judge.h"
#endif

struct keys_call {
    unsigned *d_out;
    const unsigned *d_in;
    unsigned *d_tmp;
    int n;
};

struct records_call {
    struct columns out, in;
    unsigned *d_tmp;
    int n;
    enum order order;
};

#ifdef WORKBOOK_SERVED
static void (*served_keys)(unsigned *, const unsigned *, unsigned *, int);
static void (*served_records)(struct columns, struct columns, unsigned *, int, enum order);

static void run_keys(void *arguments)
{
    struct keys_call *c = (struct keys_call *)arguments;
    served_keys(c->d_out, c->d_in, c->d_tmp, c->n);
}

static void run_records(void *arguments)
{
    struct records_call *c = (struct records_call *)arguments;
    served_records(c->out, c->in, c->d_tmp, c->n, c->order);
}

static inline int serve_keys(struct invocation own, void (*sort)(unsigned *, const unsigned *, unsigned *, int),
                             enum order order)
{
    void (*const run[])(void *) = {run_keys};
    const int64_t numbers[4] = {order};
    served_keys = sort;
    return serve(own, "sort_keys", numbers, run);
}

static inline int serve_records(struct invocation own,
                                void (*sort)(struct columns, struct columns, unsigned *, int, enum order))
{
    void (*const run[])(void *) = {run_records};
    const int64_t numbers[4] = {};
    served_records = sort;
    return serve(own, "sort_records", numbers, run);
}

#define sort_keys_main(argc, argv, sort, order) serve_keys(INVOCATION(argc, argv), sort, order)
#define sort_records_main(argc, argv, sort) serve_records(INVOCATION(argc, argv), sort)

#else
static const struct name NAMES[] = {{"UNSIGNED", UNSIGNED}, {"SIGNED", SIGNED}, {"FLOATS", FLOATS}, {NULL, 0}};

static void remote_keys(unsigned *d_out, const unsigned *d_in, unsigned *d_tmp, int n)
{
    struct keys_call c = {d_out, d_in, d_tmp, n};
    remote_call(0, &c, sizeof c);
}

static void remote_records(struct columns out, struct columns in, unsigned *d_tmp, int n, enum order order)
{
    struct records_call c = {out, in, d_tmp, n, order};
    remote_call(0, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "sort_keys"))
        drive_keys(argc, argv, remote_keys, (enum order)asked->numbers[0], asked->file, asked->todo_open);
    if (!strcmp(asked->driver, "sort_records"))
        drive_records(argc, argv, remote_records, asked->file, asked->todo_open);
}
#endif
#endif
