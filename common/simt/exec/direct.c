// Loads and stores that no observer sees and that synchronize with no other thread: no description of the access, no
// observers, one bounds check for all lanes.
#include "exec/direct.h"

#include "exec/bounds.h"
#include "exec/element.h"
#include "exec/launch_progress.h"
#include "exec/rows.h"

// Where each lane's bytes lie, as an offset from origin. An inactive lane gets the offset of an active one.
struct reach {
    uint64_t at[LANES] __attribute__((aligned(64)));
    uint8_t *origin;
    uint64_t low, high, bits; // the smallest and the largest address; the OR of all addresses
    bool same;                // all lanes touch the same bytes
};

static inline void find_addresses(const struct warp *w, const struct insn *in, uint64_t *at)
{
    compute_addresses(w, in, at);
    if (w->mask == ALL_LANES)
        return;
    uint64_t one = at[__builtin_ctz(w->mask)];
    for (int l = 0; l < LANES; l++)
        at[l] = w->lanes[l] ? at[l] : one;
}

static inline void find_reach(struct reach *r)
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    for (int l = 0; l < LANES; l++) {
        low = r->at[l] < low ? r->at[l] : low;
        high = r->at[l] > high ? r->at[l] : high;
        bits |= r->at[l];
    }
    r->low = low;
    r->high = high;
    r->bits = bits;
}

// Each lane has its own bytes.
static inline void add_stride(struct reach *r, uint64_t stride)
{
    for (uint64_t l = 0; l < LANES; l++)
        r->at[l] += l * stride;
    r->same &= !stride;
}

// Finds the lanes' places in host memory. False: an address is out of bounds, or not a multiple of size bytes.
static inline bool find_places(const struct warp *w, const struct insn *in, uint32_t size, struct reach *r)
{
    const struct launch *launch = w->block->launch;
    find_addresses(w, in, r->at);
    find_reach(r);
    uint64_t end = r->high + size;
    if (r->bits & (size - 1) || end <= r->low)
        return false;
    r->same = r->low == r->high;
    switch (in->space) {
    case PTX_GLOBAL:
    case PTX_CONST: r->origin = NULL; return launch_holds(launch, r->low, end - r->low);
    case PTX_SHARED: r->origin = w->block->shared; return shared_holds(launch, r->low, end);
    case PTX_LOCAL:
        r->origin = w->local;
        add_stride(r, launch->local_stride);
        return end <= launch->local_stride;
    default: return false;
    }
}

static inline bool is_direct(const struct warp *w, const struct insn *in)
{
    return !w->block->launch->watched && !(in->order & (ORDER_VOLATILE | ORDER_STRONG));
}

bool direct_load(struct warp *w, const struct insn *in)
{
    struct reach r;
    if (!is_direct(w, in) || !find_places(w, in, (uint32_t)in->size * in->count, &r))
        return false;
    load_lanes(w, in, w->mask, r.origin, r.at, r.same);
    return true;
}

bool direct_store(struct warp *w, const struct insn *in)
{
    struct reach r;
    if (!is_direct(w, in) || w->block->worker->compares || !find_places(w, in, (uint32_t)in->size * in->count, &r))
        return false;
    store_lanes(w, in, w->mask, r.origin, r.at);
    note_reach(w, in->space, r.low);
    return true;
}
