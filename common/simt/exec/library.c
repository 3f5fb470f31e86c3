// Functions of the device's library: assert, malloc, free; what all have in common. printf is in print.c,
// what gives the device work in nested.c.
#include "exec/library.h"

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
                   ? w->local + (uint64_t)lane * w->block->launch->local_stride + plain : NULL;
    case TAG_SHARED: return w->block->shared + plain;
    case 0: return memory_holds(address, 1) ? (uint8_t *)(uintptr_t)address : NULL;
    default: return NULL;
    }
}

// The flags of the init check for it; NULL: there are none.
static uint8_t *init_flags(struct warp *w, uint64_t address, uint32_t lane, uint32_t size)
{
    uint64_t plain = address & ~TAG_MASK;
    uint32_t checked = local_checked(w->block->launch);
    switch (address & TAG_MASK) {
    case TAG_LOCAL: return w->local_init && plain + size <= checked ? w->local_init + lane * checked + plain : NULL;
    case TAG_SHARED: return w->block->shared_init ? w->block->shared_init + plain : NULL;
    default: return memory_written(address);
    }
}

bool put_result(struct warp *w, uint64_t address, uint32_t lane, const void *value, uint32_t size)
{
    uint8_t *to = reachable(w, address, lane), *flags = to ? init_flags(w, address, lane, size) : NULL;
    if (to)
        memcpy(to, value, size);
    if (flags)
        memset(flags, 1, size);
    return to != NULL;
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

void op_device_malloc(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    FOR_LANES(l, w->mask)
    {
        struct allocation *a = memory_alloc(argument_64(w, in, 1, l), MEMORY_HEAP, w->block->launch->device);
        uint64_t address = a ? a->base : 0;
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
        if (address && !memory_free(address, &found))
            report(w->block, FINDING_MEMORY, ERROR, in->id, NONE, "Invalid free at %s of 0x%llx by %s",
                   origin_place(w->block->launch->module, in->id), (unsigned long long)address,
                   thread_name(w->block, w->index * LANES + l));
    }
    path_enter(w, in->c);
}
