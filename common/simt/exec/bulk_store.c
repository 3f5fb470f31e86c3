// st.async and red.async: stores to and reductions in shared memory of the cluster. On arrival an mbarrier counts their
// bytes. They are bulk copies of a few bytes that the instruction carries.
#include <stdio.h>

#include "base/alloc.h"
#include "exec/bulk.h"
#include "exec/handlers.h"

static bool begin_store(struct warp *w, struct bulk *c)
{
    const struct insn as = bulk_writer(c, SPACE_CLUSTER);
    c->to = bulk_touch(w, c, &as, bulk_kind(c), c->to_address, c->bytes, c->data);
    return c->to;
}

static bool is_aligned(struct warp *w, const struct bulk *c)
{
    if (c->to_address % c->bytes == 0)
        return true;
    char why[64];
    snprintf(why, sizeof why, "the address is not a multiple of %u", c->bytes);
    bulk_refuse_place(w, c, "__shared__ write", why);
    return false;
}

static void issue_lane(struct warp *w, const struct insn *in, uint32_t l)
{
    const uint32_t *list = w->path->frame->code->lists + in->target;
    struct bulk c = {.in = *in, .warp = w, .lane = l, .after = -1, .source_free = true, .to_space = PTX_SHARED};
    c.name = list[STORED_SUM] == NONE ? "asynchronous store" : "asynchronous reduction";
    c.bytes = c.counted = (uint32_t)(in->imm * in->size);
    c.to_address = bulk_address(w, list + STORED_TO, l);
    c.barrier_address = bulk_address(w, list + STORED_BARRIER, l);
    c.in.imm = 0; // it is in no group
    c.sum = bulk_sum(in, list[STORED_SUM], PTX_NONE);
    if (!is_aligned(w, &c))
        return;
    c.data = alloc_resize(NULL, 1, c.bytes);
    for (uint32_t k = 0; k < in->imm; k++)
        memcpy(c.data + k * in->size, (const uint8_t *)row(w, list[STORED_VALUES + k]) + l * in->sub, in->size);
    bulk_issue(w, &c, false, 0, begin_store);
}

void op_store_async(struct warp *w, const struct insn *in)
{
    FOR_LANES(l, w->mask)
    issue_lane(w, in, l);
}
