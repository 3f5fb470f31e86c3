// The arena of a PTX module: a list of zeroed chunks, filled from front to back. A request that is large compared with
// a chunk gets a separate chunk, so that little is wasted and untouched pages stay unmapped.
#include "ptx/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#define CHUNK_SIZE ((size_t)256 * 1024)
#define ALIGNMENT alignof(max_align_t)

struct chunk {
    struct chunk *next;
    size_t size, used;
    alignas(max_align_t) unsigned char data[];
};

struct ptx_arena {
    struct chunk *chunks; // the first chunk is the one being filled
};

static struct chunk *new_chunk(size_t size)
{
    struct chunk *chunk = calloc(1, sizeof *chunk + size);

    if (chunk)
        chunk->size = size;
    return chunk;
}

struct ptx_arena *ptx_arena_new(void)
{
    return calloc(1, sizeof(struct ptx_arena));
}

void ptx_arena_join(struct ptx_arena *into, struct ptx_arena *from)
{
    struct chunk **end = &into->chunks;

    while (*end)
        end = &(*end)->next;
    *end = from->chunks;
    free(from);
}

void ptx_arena_free(struct ptx_arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

void *ptx_arena_alloc(struct ptx_arena *arena, size_t size)
{
    struct chunk *chunk = arena->chunks;

    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!chunk || chunk->size - chunk->used < size) {
        chunk = new_chunk(size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE);
        if (!chunk)
            return NULL;
        if (size > CHUNK_SIZE / 4 && arena->chunks) { // a separate chunk: keep filling the first
            chunk->next = arena->chunks->next;
            arena->chunks->next = chunk;
        } else {
            chunk->next = arena->chunks;
            arena->chunks = chunk;
        }
    }
    void *memory = chunk->data + chunk->used;

    chunk->used += size;
    return memory;
}
