// Memory of one PTX module: allocated piece by piece, freed all together.
#pragma once

#include <stddef.h>

struct ptx_arena;

// An empty arena, or NULL when memory is out.
struct ptx_arena *ptx_arena_new(void);

// Frees the arena and all that was allocated from it. NULL is allowed.
void ptx_arena_free(struct ptx_arena *arena);

// Moves all memory of `from` into `into`, and frees `from`.
void ptx_arena_join(struct ptx_arena *into, struct ptx_arena *from);

// size bytes of zeroes, aligned for any type; NULL when memory is out. size may be 0.
void *ptx_arena_alloc(struct ptx_arena *arena, size_t size);
