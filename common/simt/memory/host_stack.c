// Where parts of the host's program lie. A stack has overflowed if the stack pointer is near or below its end and the
// fault lies beyond the end.
#define _GNU_SOURCE
#include "memory/host_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
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

// ---- blocks of malloc, whose size glibc keeps in the word before them

#define MOST_BLOCKS 65536 // to walk over
#define IN_MAPPING 2      // flag in the size: the block has a mapping of its own

static uint64_t word_at(uint64_t address)
{
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
    return word;
}

// Where the heap begins; 0: unknown.
static uint64_t heap_start(void)
{
    char line[512];
    unsigned long long first = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !first && fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]") && sscanf(line, "%llx", &first) != 1)
            first = 0;
    if (maps)
        fclose(maps);
    return first;
}

// Whether a block's two words begin there: reached from the heap's start by the sizes of the blocks between.
static bool begins_block(uint64_t at)
{
    uint64_t block = heap_start(), last = (uint64_t)(uintptr_t)sbrk(0);
    if (!block || at < block || at >= last)
        return false;
    for (int i = 0; block < at && i < MOST_BLOCKS; i++) {
        uint64_t size = word_at(block + 8) & ~UINT64_C(7);
        if (size < 32 || size % 16 || size > last - block)
            return false;
        block += size;
    }
    return block == at;
}

uint64_t host_block_short(uint64_t address, uint64_t n)
{
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (address % 16 || address % page < 16 || address - stack.low < stack.size)
        return 0;
    uint64_t before = word_at(address - 16), word = word_at(address - 8), size = word & ~UINT64_C(7);
    bool mapped = word & IN_MAPPING, sane = size >= 32 && size % 16 == 0;
    uint64_t bytes = size - (mapped ? 16 : 8); // the next block's first word is free to use, too
    if (!sane || bytes >= n)
        return 0;
    if (mapped)
        return !before && size % page == 0 && address % page == 16 ? bytes : 0;
    return begins_block(address - 16) ? bytes : 0;
#else
    (void)address, (void)n;
    return 0;
#endif
}
