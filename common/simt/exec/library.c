// Functions of the device's library: assert, malloc, free, and what all of them share. printf is in print.c; functions
// that launch work are in nested.c.
#include "exec/library.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/warp.h"
#include "memory/memory.h"
#include "report/errors.h"

uint8_t *argument(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane)
{
    const struct frame *f = w->path->frame;
    return frame_bytes(w, f, lane) + f->code->lists[in->target + k];
}

uint64_t argument_64(struct warp *w, const struct insn *in, uint32_t k, uint32_t lane)
{
    uint64_t v;
    memcpy(&v, argument(w, in, k, lane), 8);
    return v;
}

uint8_t *reachable(struct warp *w, uint64_t address, uint32_t lane)
{
    uint64_t plain = address & ~TAG_MASK;
    switch (address & TAG_MASK) {
    case TAG_LOCAL:
        return plain < w->block->launch->local_stride
                   ? w->local + (uint64_t)lane * w->block->launch->local_stride + plain
                   : NULL;
    case TAG_SHARED: return w->block->shared + plain;
    case 0: return memory_holds(address, 1) ? (uint8_t *)(uintptr_t)address : NULL;
    default: return NULL;
    }
}

bool put_result(struct warp *w, uint64_t address, uint32_t lane, const void *value, uint32_t size)
{
    uint8_t *to = reachable(w, address, lane);
    if (!to)
        return false;
    memcpy(to, value, size);
    NOTIFY(w->block->launch, library_store, w, address, lane, size);
    return true;
}

void op_assert_fail(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    uint32_t l = (uint32_t)__builtin_ctz(w->mask), line;
    const uint8_t *what = reachable(w, argument_64(w, in, 0, l), l), *file = reachable(w, argument_64(w, in, 1, l), l);
    memcpy(&line, argument(w, in, 2, l), 4);
    report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Assertion `%s` failed at %s:%u by %s",
           what ? (const char *)what : "?", file ? (const char *)file : "?", line,
           thread_name(w->block, w->index * LANES + l));
    fail_launch(w->block->launch, CUDA_ERROR_ASSERT);
    path_exit(w);
}

static atomic_uint_fast64_t heaps[16]; // bytes that kernels have allocated on each device

// The source of instruction id, as a string that lives as long as the program.
static const char *kept_place(const struct module *m, uint32_t id)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept {
        struct kept *next;
        char words[256];
    } * all;
    const char *place = origin_place(m, id);
    pthread_mutex_lock(&lock);
    struct kept *k = all;
    while (k && strcmp(k->words, place))
        k = k->next;
    if (!k) {
        k = alloc_zeroed(1, sizeof *k);
        snprintf(k->words, sizeof k->words, "%s", place);
        k->next = all;
        all = k;
    }
    pthread_mutex_unlock(&lock);
    return k->words;
}

// Allocates from the heap, whose size is limited; 0: it is full, and the report says so.
static uint64_t heap_alloc(struct warp *w, const struct insn *in, uint32_t l, uint64_t size)
{
    struct launch *launch = w->block->launch;
    uint64_t used = atomic_fetch_add(&heaps[launch->device], size), most = launch->limits.heap;
    struct allocation *a = !most || used + size <= most ? memory_alloc(size, MEMORY_HEAP, launch->device) : NULL;
    if (a) {
        a->place = kept_place(launch->module, in->id);
        return a->base;
    }
    atomic_fetch_sub(&heaps[launch->device], size);
    report(w->block, FINDING_MEMORY, INFORMATION, in->id, NONE,
           "malloc of %llu bytes at %s by %s returns NULL: kernels have allocated %llu of the heap's %llu bytes, "
           "and cudaDeviceSetLimit(cudaLimitMallocHeapSize) gives it more",
           (unsigned long long)size, origin_place(launch->module, in->id), thread_name(w->block, w->index * LANES + l),
           (unsigned long long)used, (unsigned long long)most);
    return 0;
}

void op_device_malloc(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    FOR_LANES(l, w->mask)
    {
        uint64_t address = heap_alloc(w, in, l, argument_64(w, in, 1, l));
        memcpy(argument(w, in, 0, l), &address, 8);
    }
    path_enter(w, in->c);
}

void op_device_free(struct warp *w, const struct insn *in)
{
    const struct allocation *found;
    if (!path_guard(w, in))
        return;
    FOR_LANES(l, w->mask)
    {
        uint64_t address = argument_64(w, in, 0, l);
        const struct allocation *a = address ? memory_find(address) : NULL;
        uint64_t size = a ? a->size : 0;
        bool heap = a && a->kind == MEMORY_HEAP, freed = heap && memory_free(address, &found);
        if (freed)
            atomic_fetch_sub(&heaps[w->block->launch->device], size);
        if (address && !freed)
            report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Invalid free at %s of 0x%llx by %s%s",
                   origin_place(w->block->launch->module, in->id), (unsigned long long)address,
                   thread_name(w->block, w->index * LANES + l),
                   !a || heap ? "" : ": the host has allocated it, and frees it by cudaFree");
    }
    path_enter(w, in->c);
}
