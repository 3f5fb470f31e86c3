// The host's memory for the machine itself. Every request succeeds: if memory runs out, the program ends with a line
// and exit code 1. Device memory is separate (memory/memory.h).
#pragma once

#include <stddef.h>

void *alloc_zeroed(size_t count, size_t size);
_Noreturn void alloc_failed(size_t size);             // ends the program as a failed request does
void *alloc_resize(void *p, size_t count, size_t size); // as realloc
void *alloc_aligned(size_t align, size_t size);       // not zeroed; size is rounded up
void *alloc_padded(size_t count, size_t size); // zeroed; no two such tables begin in one cache line
void open_pages(void *p, size_t size); // makes the range readable and writable

// Zeroed memory that every launch needs again, kept because a new page costs many times as much as clearing an old one.
// Large requests reserve address space, committed when touched.
void *alloc_cached(size_t size);
void free_cached(void *p, size_t size); // size: as requested
