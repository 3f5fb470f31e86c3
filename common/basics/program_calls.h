// basics/program_calls.h: how the whole programs of chapter 00-basics are called from another process.
#ifndef BASICS_PROGRAM_CALLS_H
#define BASICS_PROGRAM_CALLS_H

#ifdef WORKBOOK_SERVED
#include "basics/program_problem.h"
#include "remote/serve.h"
#else // in a judge
#include "basics/program_driver.h"
#include "remote/judge.h"
#endif

struct load_call {
    const float *d_x, *d_y;
    int n;
    float a;
};

struct main_call {
    long long written;
    int status;
};

struct fetch_call {
    float *d_result;
};

#ifdef WORKBOOK_SERVED
static int (*served_main)(void);

static inline void serve_load(void *arguments)
{
    struct load_call *c = (struct load_call *)arguments;
    load_files(c->d_x, c->d_y, c->n, c->a);
}

static inline void serve_main(void *arguments)
{
    struct main_call *c = (struct main_call *)arguments;
    c->status = run_program(served_main);
    c->written = files.written;
}

static inline void serve_fetch(void *arguments)
{
    fetch_files(((struct fetch_call *)arguments)->d_result);
}

static inline int serve_program(struct invocation own, int (*program)(void), enum program_kind kind)
{
    void (*const run[])(void *) = {serve_load, serve_main, serve_fetch};
    const int64_t numbers[4] = {kind};
    served_main = program;
    return serve(own, "program", numbers, run);
}

#define program_main(argc, argv, program, kind) serve_program(INVOCATION(argc, argv), program, kind)

#else
static const struct name NAMES[] = {{"CHECKED", CHECKED}, {"PIPELINE", PIPELINE}, {NULL, 0}};

static void remote_load(const float *d_x, const float *d_y, int n, float a)
{
    struct load_call c = {d_x, d_y, n, a};
    remote_call(0, &c, sizeof c);
}

static int remote_main(long long *written)
{
    struct main_call c = {0, 0};
    remote_call(1, &c, sizeof c);
    *written = c.written;
    return c.status;
}

static void remote_fetch(float *d_result)
{
    struct fetch_call c = {d_result};
    remote_call(2, &c, sizeof c);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    struct program p = {};
    p.load = remote_load;
    p.run = remote_main;
    p.fetch = remote_fetch;
    p.kind = (enum program_kind)asked->numbers[0];
    if (!strcmp(asked->driver, "program"))
        drive_program(argc, argv, &p, asked->file, asked->todo_open);
}
#endif
#endif
