// Free lists of joins and frames: divergent branches and calls need them too often for malloc.
#include "exec/pool.h"

#include <stdlib.h>

#include "base/alloc.h"

struct control_pool {
    struct join *joins;
    struct frame *frames;
};

static struct control_pool *pool_of(struct worker *k)
{
    if (!k->pool)
        k->pool = alloc_zeroed(1, sizeof *k->pool);
    return k->pool;
}

struct join *pool_join(struct worker *k)
{
    struct join *j = pool_of(k)->joins;
    if (!j)
        return alloc_resize(NULL, 1, sizeof *j);
    k->pool->joins = j->next;
    return j;
}

void pool_return_join(struct worker *k, struct join *j)
{
    j->next = k->pool->joins;
    k->pool->joins = j;
}

struct frame *pool_frame(struct worker *k)
{
    struct frame *f = pool_of(k)->frames;
    if (!f)
        return alloc_resize(NULL, 1, sizeof *f);
    k->pool->frames = f->parent;
    return f;
}

void pool_return_frame(struct worker *k, struct frame *f)
{
    f->parent = pool_of(k)->frames;
    k->pool->frames = f;
}

void pool_free(struct worker *k)
{
    if (!k->pool)
        return;
    for (struct join *j = k->pool->joins, *next; j; j = next) {
        next = j->next;
        free(j);
    }
    for (struct frame *f = k->pool->frames, *next; f; f = next) {
        next = f->parent;
        free(f);
    }
    free(k->pool);
    k->pool = NULL;
}
