// A heap, since a grid may have millions of blocks, and each takes the place that becomes free first.
#include "estimate/places.h"

#include <stdbool.h>

#include "base/alloc.h"

static bool is_before(const struct place *a, const struct place *b)
{
    return a->free < b->free || (a->free == b->free && a->number < b->number);
}

static void swap(struct place *a, struct place *b)
{
    struct place kept = *a;
    *a = *b;
    *b = kept;
}

void places_release(struct places *p, struct place place)
{
    if (p->free == p->count)
        return;
    uint32_t i = p->free++;
    p->heap[i] = place;
    for (; i && is_before(&p->heap[i], &p->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&p->heap[i], &p->heap[(i - 1) / 2]);
}

struct place places_acquire(struct places *p)
{
    if (!p->free)
        return (struct place){0, 0};
    struct place top = p->heap[0];
    p->heap[0] = p->heap[--p->free];
    for (uint32_t i = 0, child; (child = 2 * i + 1) < p->free; i = child) {
        child += child + 1 < p->free && is_before(&p->heap[child + 1], &p->heap[child]);
        if (!is_before(&p->heap[child], &p->heap[i]))
            break;
        swap(&p->heap[i], &p->heap[child]);
    }
    return top;
}

void places_open(struct places *p, uint32_t count)
{
    p->heap = alloc_resize(p->heap, count, sizeof *p->heap);
    p->count = count;
    p->free = 0;
    for (uint32_t i = 0; i < count; i++)
        places_release(p, (struct place){0, i});
}
