// Reads the operands of bar and barrier (which of the 16 barriers, how many threads), and computes what bar.red
// returns.
#include "exec/barrier.h"

#include "exec/finding.h"

struct barrier *barrier_of(struct warp *w, const struct insn *in, uint32_t *threads)
{
    *threads = 0;
    if (in->imm >= 0)
        return &w->block->barriers[in->imm];
    const uint32_t *list = w->path->frame->code->lists + in->target;
    uint32_t lane = (uint32_t)__builtin_ctz(w->mask);
    uint32_t number = ((const uint32_t *)row(w, list[0]))[lane];
    *threads = list[1] == NONE ? 0 : ((const uint32_t *)row(w, list[1]))[lane];
    if (number >= BARRIERS)
        report(w->block, FINDING_SYNC, ERROR, in->id, NONE,
               "Barrier error detected. Barrier %u at %s; there are 0 to 15", number,
               origin_place(w->block->launch->module, in->id));
    return &w->block->barriers[number % BARRIERS];
}

void barrier_result(struct warp *w, const struct insn *in)
{
    uint32_t threads, kind = in->sub & 15;
    const struct barrier *bar = barrier_of(w, in, &threads);
    if (kind == BARRIER_POPC) {
        uint32_t *d = row(w, in->dst);
        FOR_LANES(l, w->mask)
        d[l] = bar->true_count;
    } else {
        bool all = bar->true_count == bar->lane_count, any = bar->true_count > 0;
        set_predicate(w, in->dst, (kind == BARRIER_AND ? all : any) ? ALL_LANES : 0);
    }
}
