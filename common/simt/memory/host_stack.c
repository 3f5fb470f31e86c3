// Where parts of the host's program lie. A stack has overflowed if the stack pointer is near or below its end and the
// fault lies beyond the end.
#define _GNU_SOURCE
#include "memory/host_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>
#if defined __x86_64__ || defined __aarch64__
#include <ucontext.h>
#endif

#define NEAR (64u << 10) // more than a call may use below the stack pointer

static struct {
    uint64_t low, size;
} stack;

void stack_remember(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &size)) {
        stack.low = (uint64_t)(uintptr_t)low;
        stack.size = size;
    }
    pthread_attr_destroy(&attributes);
}

static uint64_t stack_pointer(const void *context)
{
#if defined __x86_64__
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined __aarch64__
    return ((const ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
    return UINT64_MAX;
#endif
}

uint64_t stack_is_full(uint64_t address, const void *context)
{
    uint64_t pointer = stack_pointer(context);
    bool full = stack.size && pointer < stack.low + NEAR;
    return full && address + NEAR >= pointer && address < stack.low + stack.size ? stack.size : 0;
}

// From the linker.
extern const char __executable_start[] __attribute__((weak)), end[] __attribute__((weak));

const char *host_part(uint64_t address)
{
    uint64_t first = (uint64_t)(uintptr_t)__executable_start, last = (uint64_t)(uintptr_t)end;
    if (address - stack.low < stack.size)
        return ": it is on the host's stack, a local variable of a host function";
    if (!first || !last || address < first)
        return NULL;
    if (address < last)
        return ": it is in the host's program, a static variable or a table of virtual functions";
    return address < (uint64_t)(uintptr_t)sbrk(0) ? ": it is on the host's heap, where new and malloc take memory"
                                                  : NULL;
}
