// Free lists of joins and frames: divergent branches and calls need them too often for malloc.
#include "exec/store.h"

#include <stdlib.h>

#include "base/alloc.h"

struct block_store {
    struct join *joins;
    struct frame *frames;
};

static struct block_store *store(struct worker *k)
{
    if (!k->store)
        k->store = alloc_zeroed(1, sizeof *k->store);
    return k->store;
}

struct join *store_join(struct worker *k)
{
    struct join *j = store(k)->joins;
    if (!j)
        return alloc_more(NULL, 1, sizeof *j);
    k->store->joins = j->next;
    return j;
}

void give_back_join(struct worker *k, struct join *j)
{
    j->next = k->store->joins;
    k->store->joins = j;
}

struct frame *store_frame(struct worker *k)
{
    struct frame *f = store(k)->frames;
    if (!f)
        return alloc_more(NULL, 1, sizeof *f);
    k->store->frames = f->parent;
    return f;
}

void give_back_frame(struct worker *k, struct frame *f)
{
    f->parent = store(k)->frames;
    k->store->frames = f;
}

void store_free(struct worker *k)
{
    if (!k->store)
        return;
    for (struct join *j = k->store->joins, *next; j; j = next) {
        next = j->next;
        free(j);
    }
    for (struct frame *f = k->store->frames, *next; f; f = next) {
        next = f->parent;
        free(f);
    }
    free(k->store);
    k->store = NULL;
}
