// Conditions of graphs. They are few and live as long as the program, so a handle is a number, and none is freed.
#include "exec/condition.h"

#include <stdatomic.h>

#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/library.h"
#include "exec/warp.h"

#define CONDITIONS 65536
#define MARK (UINT64_C(0xc0de) << 32) // so that no small number is a valid handle

static struct {
    struct condition {
        atomic_uint value;
        uint32_t first;
        bool assigns;
    } all[CONDITIONS];
    atomic_uint count;
} conditions;

uint64_t condition_open(uint32_t first, bool assigns)
{
    uint32_t number = atomic_fetch_add(&conditions.count, 1);
    if (number >= CONDITIONS)
        return 0;
    struct condition *c = &conditions.all[number];
    c->first = first;
    c->assigns = assigns;
    atomic_store(&c->value, first);
    return MARK | number;
}

bool condition_exists(uint64_t handle)
{
    return (handle & ~UINT64_C(0xffffffff)) == MARK && (uint32_t)handle < CONDITIONS &&
           (uint32_t)handle < atomic_load(&conditions.count);
}

uint32_t condition_value(uint64_t handle)
{
    return atomic_load(&conditions.all[(uint32_t)handle].value);
}

void condition_start(uint64_t handle)
{
    struct condition *c = &conditions.all[(uint32_t)handle];
    if (c->assigns)
        atomic_store(&c->value, c->first);
}

// cudaGraphSetConditional(handle, value) by the active lanes.
void op_set_condition(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    FOR_LANES(l, w->mask)
    {
        uint64_t handle = argument_64(w, in, 0, l);
        uint32_t value;
        memcpy(&value, argument(w, in, 1, l), 4);
        if (condition_exists(handle))
            atomic_store(&conditions.all[(uint32_t)handle].value, value);
        else
            report(w->block, FINDING_MEMORY, ERROR, in->id, NONE,
                   "Invalid condition at %s by %s: 0x%llx is not a handle of cudaGraphConditionalHandleCreate",
                   origin_place(w->block->launch->module, in->id), thread_name(w->block, w->index * LANES + l),
                   (unsigned long long)handle);
    }
    path_enter(w, in->c);
}
