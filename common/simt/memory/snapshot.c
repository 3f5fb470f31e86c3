// What a host function has written to page-locked memory, from a copy of that memory made before.
#include "memory/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define MOST (UINT64_C(16) << 20) // bytes; more would take longer than most host functions
#define GAP 64                    // bytes that keep their value by chance, between bytes that change

struct snapshot {
    struct piece_of_memory {
        uint64_t base, size;
        uint8_t *copy;
        struct piece_of_memory *next;
    } * pieces;
};

static void add_size(const struct allocation *a, void *data)
{
    *(uint64_t *)data += a->kind == MEMORY_HOST ? a->size : 0;
}

static void add_piece(const struct allocation *a, void *data)
{
    struct snapshot *s = data;
    if (a->kind != MEMORY_HOST)
        return;
    struct piece_of_memory *p = alloc_zeroed(1, sizeof *p);
    *p = (struct piece_of_memory){a->base, a->size, alloc_resize(NULL, a->size + 1, 1), s->pieces};
    memcpy(p->copy, (const void *)(uintptr_t)a->base, a->size);
    s->pieces = p;
}

struct snapshot *memory_remember(void)
{
    uint64_t size = 0;
    if (!memory_shares())
        return NULL;
    memory_each(add_size, &size);
    if (!size || size > MOST)
        return NULL;
    struct snapshot *s = alloc_zeroed(1, sizeof *s);
    memory_open(); // copies in flight may be using it
    memory_each(add_piece, s);
    memory_close();
    return s;
}

// Adds the runs of changed bytes of a piece.
static uint32_t add_runs(const struct piece_of_memory *p, struct stretch *out, uint32_t n, uint32_t most)
{
    const uint8_t *now = (const uint8_t *)(uintptr_t)p->base;
    if (!memory_holds(p->base, p->size) || !memcmp(now, p->copy, p->size))
        return n;
    uint32_t first = n;
    for (uint64_t i = 0; i < p->size; i++) {
        if (now[i] == p->copy[i])
            continue;
        if (n > first && p->base + i - out[n - 1].end <= GAP)
            out[n - 1].end = p->base + i + 1;
        else if (n == most)
            return n;
        else
            out[n++] = (struct stretch){p->base + i, p->base + i + 1};
    }
    return n;
}

uint32_t memory_changes(struct snapshot *s, struct stretch *out, uint32_t most)
{
    uint32_t n = 0;
    if (!s)
        return 0;
    memory_open();
    for (struct piece_of_memory *p = s->pieces, *next; p; p = next) {
        next = p->next;
        n = add_runs(p, out, n, most);
        free(p->copy);
        free(p);
    }
    memory_close();
    free(s);
    return n;
}
