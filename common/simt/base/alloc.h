// The host's memory for the machine itself. Every request succeeds: without memory the program ends with a line and
// exit code 1, as a program does that is out of memory. Device memory is another matter (memory/memory.h).
#pragma once

#include <stddef.h>

void *alloc_zeroed(size_t count, size_t size);
_Noreturn void alloc_failed(size_t size);             // as if such a request had
void *alloc_resize(void *p, size_t count, size_t size); // as realloc
void *alloc_aligned(size_t align, size_t size);       // not zeroed; size is rounded up
void *alloc_padded(size_t count, size_t size); // zeroed, in no cache line that another such table begins in
void open_pages(void *p, size_t size); // may be read and written from now on

// Zeroed memory that every launch needs again: a new page costs many times what clearing an old one does. Large
// requests are address space, committed where it is touched.
void *alloc_cached(size_t size);
void free_cached(void *p, size_t size); // size: as it was requested
