// solvers/slabs_calls.h: how the functions of step 10 of chapter 06-iterative-solvers are called from another process.
#ifndef SOLVERS_SLABS_CALLS_H
#define SOLVERS_SLABS_CALLS_H

#ifdef WORKBOOK_SERVED
#include "device/slabs.h"
#include "remote/serve.h"
#else // in a judge
#include "solvers/slabs_driver.h"
#include "remote/judge.h"
#endif

struct slabs_call {
    struct team team;
    int sweeps;
};

#ifdef WORKBOOK_SERVED
static void (*served)(struct team *, int);

static void run_slabs(void *arguments)
{
    struct slabs_call *c = (struct slabs_call *)arguments;
    served(&c->team, c->sweeps);
}

static inline int serve_slabs(struct invocation own, void (*solve)(struct team *, int))
{
    void (*const run[])(void *) = {run_slabs};
    const int64_t numbers[4] = {};
    served = solve;
    return serve(own, "slabs", numbers, run);
}

#define slabs_main(argc, argv, solve) serve_slabs(INVOCATION(argc, argv), solve)

#else
static const struct name NAMES[] = {{NULL, 0}};

// Of what comes back only this counts: which of its two arrays each slab calls x.
static void take_over(struct team *t, const struct team *back)
{
    for (int i = 0; i < t->count; i++) {
        struct slab *s = &t->slab[i];
        const struct slab *b = &back->slab[i];
        if (b->x == s->next && b->next == s->x) {
            s->next = s->x;
            s->x = b->x;
        } else if (b->x != s->x || b->next != s->next) {
            fail(WRONG, "wrong: x and next of slab %d no longer point to its two arrays", t->first + i);
        }
    }
}

static void remote_slabs(struct team *t, int sweeps)
{
    struct slabs_call c = {*t, sweeps};
    remote_call(0, &c, sizeof c);
    take_over(t, &c.team);
}

static void drive(int argc, char **argv, const struct asked *asked)
{
    if (!strcmp(asked->driver, "slabs"))
        drive_slabs(argc, argv, remote_slabs, asked->file, asked->todo_open);
}
#endif
#endif
