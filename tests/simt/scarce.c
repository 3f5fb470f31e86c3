// The allocator for scarce.cu: makes the allocation with the number in SCARCE fail, once.
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

long allocations(void);

static atomic_long seen;

// Allocations so far.
long allocations(void)
{
    return atomic_load(&seen);
}

static int fails(void)
{
    const char *which = getenv("SCARCE");
    int now = atomic_fetch_add(&seen, 1) + 1 == (which ? atol(which) : 0);
    if (now)
        errno = ENOMEM;
    return now;
}

#define WRAPPED(type, name, none, parameters, arguments) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters \
    { \
        return fails() ? none : __real_##name arguments; \
    }
WRAPPED(void *, malloc, NULL, (size_t size), (size))
WRAPPED(void *, calloc, NULL, (size_t n, size_t size), (n, size))
WRAPPED(void *, realloc, NULL, (void *p, size_t size), (p, size))
WRAPPED(void *, aligned_alloc, NULL, (size_t align, size_t size), (align, size))
WRAPPED(void *, mmap, MAP_FAILED, (void *p, size_t size, int rights, int flags, int fd, off_t at),
        (p, size, rights, flags, fd, at))
WRAPPED(int, mprotect, -1, (void *p, size_t size, int rights), (p, size, rights))
