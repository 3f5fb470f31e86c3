// Open addressing, because a launch looks up the word of every strong store; grows by doubling.
#include "estimate/word_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static struct word *find_place(const struct word_table *w, uint64_t address)
{
    uint64_t at = (address * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
    while (w->table[at & (w->capacity - 1)].address && w->table[at & (w->capacity - 1)].address != address)
        at++;
    return &w->table[at & (w->capacity - 1)];
}

static void grow(struct word_table *w)
{
    struct word_table old = *w;
    w->capacity = old.capacity ? 2 * old.capacity : 1024;
    w->table = alloc_zeroed(w->capacity, sizeof *w->table);
    for (uint64_t i = 0; i < old.capacity; i++)
        if (old.table[i].address)
            *find_place(w, old.table[i].address) = old.table[i];
    free(old.table);
}

struct word *word_table_at(struct word_table *w, uint64_t address)
{
    if (w->count * 2 >= w->capacity)
        grow(w);
    struct word *found = find_place(w, address);
    w->count += !found->address;
    found->address = address;
    return found;
}

void word_table_clear(struct word_table *w)
{
    free(w->table);
    *w = (struct word_table){0};
}
