// What compiled code and the machine tell each other (compiled.h).
#include "exec/compiled.h"

#include "base/alloc.h"
#include "exec/handlers.h"
#include "memory/memory.h"
#include "report/settings.h"

static void run_instruction(void *warp, uint32_t block, uint32_t insn, uint32_t mask)
{
    struct warp *w = warp;
    const struct insn *in = &w->path->frame->code->insns[insn];
    w->path->block = block;
    set_mask(w, mask);
    (in->run == op_guarded ? in->guarded : in->run)(w, in);
    set_mask(w, ALL_LANES);
}

static int find_span(uint64_t address, uint64_t size, struct native_span *span)
{
    const struct allocation *a = memory_holds(address, size) ? memory_find(address) : NULL;
    if (a)
        *span = (struct native_span){a->base, a->size};
    return a != NULL;
}

static const struct native_calls calls = {run_instruction, find_span};

_Static_assert(sizeof(struct native_count) == sizeof(struct block_count), "compiled code counts in struct block_count");

void compiled_open(struct block *b)
{
    const struct launch *launch = b->launch;
    struct worker *k = b->worker;
    if (!launch->compiled)
        return;
    b->pending = alloc_zeroed(launch->code->block_count + 1, sizeof *b->pending);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = &b->warps[i];
        w->native = (struct native_warp){.registers = w->regs,
                                         .shared = b->shared,
                                         .constants = launch->code->constants,
                                         .params = launch->params,
                                         .owner = launch->shared_owner,
                                         .shared_size = shared_size(launch),
                                         .dynamic_start = launch->dynamic_start,
                                         .shared_extent = shared_extent(launch->code),
                                         .budget = &w->budget,
                                         .issued = &b->issued,
                                         .runs = (struct native_count *)(k->runs + launch->code->blocks[0].id),
                                         .diverged = k->diverged,
                                         .guard_lanes = k->guard_lanes,
                                         .pending = b->pending,
                                         .calls = &calls,
                                         .warp = w,
                                         .tid = {w->tid[0], w->tid[1], w->tid[2]},
                                         .block = b->id,
                                         .dim = launch->dim,
                                         .grid = launch->grid};
    }
}

native_slot *compiled_slot(const struct launch *launch)
{
    const struct settings *s = settings();
    bool observed = launch->watched || launch->goes_on || launch->partial || s->traces;
    bool checked = s->check_init || s->check_race || s->check_sync;
    if (s->compile == COMPILE_OFF || observed || checked || launch->schedule != SCHEDULE_ORDER)
        return NULL;
    return native_open(launch->module->codes[launch->code->ptx - launch->module->ptx->funcs], s->compile == COMPILE_ON);
}

void compiled_tell(struct worker *k)
{
    const struct launch *launch = k->launch;
    native_warm(launch->module->codes[launch->code->ptx - launch->module->ptx->funcs], k->interpreted);
    k->interpreted = 0;
}
