// The barrier of a cluster, and addresses in its blocks' shared memory.
//
// Arriving does not wait. A thread that has arrived must wait before it arrives again, so no thread is more than one
// phase behind. A lane has thus arrived at the current phase, or at the last complete one without waiting for it yet,
// or at neither. All blocks of a cluster run on one host thread, so nothing here needs a lock.
#include "exec/cluster.h"

#include "exec/finding.h"
#include "exec/handlers.h"
#include "exec/rows.h"
#include "exec/warp.h"
#include "report/settings.h"

uint64_t cluster_block(const struct launch *launch, uint64_t number, uint32_t rank)
{
    const uint32_t *size = launch->cluster, *grid = launch->grid;
    if (launch->cluster_size == 1)
        return number;
    uint64_t across = grid[0] / size[0], rows = grid[1] / size[1];
    uint64_t x = number % across * size[0] + rank % size[0];
    uint64_t y = number / across % rows * size[1] + rank / size[0] % size[1];
    uint64_t z = number / across / rows * size[2] + rank / size[0] / size[1];
    return x + grid[0] * (y + grid[1] * z);
}

void cluster_start(struct cluster *c, uint64_t number)
{
    c->number = number;
    c->phases = c->hint = 0;
    c->exited_early = 0;
}

// ---- the barrier

static bool all_arrived(const struct block *b)
{
    bool all = true;
    FOR_LANES(i, b->live)
    all &= !(b->warps[i].alive & ~b->warps[i].cluster_arrived);
    return all;
}

// Threads that have exited without arriving.
static uint32_t exited_threads(const struct cluster *c)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < c->size; r++)
        for (uint32_t i = 0; i < c->blocks[r]->warp_count; i++) {
            const struct warp *w = &c->blocks[r]->warps[i];
            n += (uint32_t)__builtin_popcount(w->first & ~w->alive & ~w->cluster_arrived);
        }
    return n;
}

// As at a block's barrier, a thread may exit only if it has never arrived.
static void report_absent(const struct cluster *c, uint32_t exited)
{
    bool early = exited == c->exited_early;
    struct block *b = c->at_block;
    report(b, FINDING_SYNC, early ? INFORMATION : ERROR, c->at, NONE,
           early ? "%u of %u threads exited before the cluster's barrier at %s; it waits only for the rest"
                 : "Barrier error detected. Divergent thread(s) in cluster: "
                   "%u of %u threads exited before the cluster's barrier at %s, or bypassed it on another branch",
           exited, c->size * b->thread_count, origin_place(b->launch->module, c->at));
}

// The lanes of w that wait at the barrier continue.
static void pass(struct warp *w)
{
    uint32_t lanes = warp_pass(w, PATH_AT_CLUSTER);
    if (!lanes)
        return;
    w->cluster_open &= ~lanes;
    w->block->runnable |= 1u << w->index;
    NOTIFY(w->block->launch, cluster_wait, w, lanes);
}

static void complete(struct cluster *c)
{
    uint32_t exited = exited_threads(c);
    c->exited_early = c->phases++ ? c->exited_early : exited;
    if (exited && settings()->check_sync)
        report_absent(c, exited);
    for (uint32_t r = 0; r < c->size; r++)
        for (uint32_t i = 0; i < c->blocks[r]->warp_count; i++) {
            struct warp *w = &c->blocks[r]->warps[i];
            w->cluster_open = w->cluster_arrived;
            w->cluster_arrived = 0;
        }
    NOTIFY(c->blocks[0]->launch, cluster_complete, c);
    for (uint32_t r = 0; r < c->size; r++)
        FOR_LANES(i, c->blocks[r]->live)
    pass(&c->blocks[r]->warps[i]);
}

static bool any_arrived(const struct cluster *c)
{
    bool any = false;
    for (uint32_t r = 0; r < c->size; r++)
        FOR_LANES(i, c->blocks[r]->live)
    any |= c->blocks[r]->warps[i].cluster_arrived != 0;
    return any;
}

void cluster_check(struct cluster *c)
{
    for (uint32_t n = 0; n < c->size; n++, c->hint = (c->hint + 1) % c->size)
        if (!all_arrived(c->blocks[c->hint]))
            return; // most often the block that was missing last time
    if (any_arrived(c))
        complete(c);
}

bool cluster_can_continue(const struct block *b)
{
    const struct cluster *c = b->cluster;
    bool waits = false, runs = false;
    FOR_LANES(i, b->live)
    for (uint32_t k = 0; k < b->warps[i].path_count; k++)
        waits |= b->warps[i].paths[k].state == PATH_AT_CLUSTER;
    for (uint32_t r = 0; r < c->size; r++)
        runs |= c->blocks[r]->live & c->blocks[r]->runnable;
    return waits && runs;
}

static void report_order(struct warp *w, const struct insn *in, uint32_t lanes, const char *what)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    const struct scene s = scene_of_lane(w, lane);
    if (settings()->check_sync)
        report_scene(w->block, &s, FINDING_SYNC, ERROR, in->id, NONE,
                     "Barrier error detected. %s %s at the cluster's barrier at %s",
                     thread_name(w->block, w->index * LANES + lane), what,
                     origin_place(w->block->launch->module, in->id));
}

void op_cluster_arrive(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    uint32_t again = w->mask & (w->cluster_arrived | w->cluster_open);
    if (again)
        report_order(w, in, again, "arrives again without a wait");
    w->cluster_open &= ~w->mask;
    w->cluster_arrived |= w->mask;
    w->block->cluster->at = in->id;
    w->block->cluster->at_block = w->block;
    NOTIFY(w->block->launch, cluster_arrive, w, in->sub);
    path_enter(w, in->c);
    cluster_check(w->block->cluster);
}

void op_cluster_wait(struct warp *w, const struct insn *in)
{
    if (!path_guard(w, in))
        return;
    uint32_t never = w->mask & ~(w->cluster_arrived | w->cluster_open);
    if (never)
        report_order(w, in, never, "waits without having arrived");
    if (w->mask & w->cluster_arrived) {
        path_wait(w, in, PATH_AT_CLUSTER);
        return;
    }
    w->cluster_open &= ~w->mask;
    NOTIFY(w->block->launch, cluster_wait, w, w->mask);
    path_enter(w, in->c);
}

// ---- addresses

void op_map_rank(struct warp *w, const struct insn *in)
{
    uint64_t values[LANES];
    const uint32_t *ranks = row(w, in->b);
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t a = in->size == 8 ? ((const uint64_t *)row(w, in->a))[l] : ((const uint32_t *)row(w, in->a))[l];
        uint64_t rank = ranks[l] == w->block->rank ? 0 : ranks[l] < 254 ? ranks[l] + 1 : 255;
        values[l] = (a & ~RANK_MASK) | rank << RANK_SHIFT;
    }
    write_row(w, in->dst, in->size, values);
}

void op_rank_of(struct warp *w, const struct insn *in)
{
    uint64_t values[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t a = in->size == 8 ? ((const uint64_t *)row(w, in->a))[l] : ((const uint32_t *)row(w, in->a))[l];
        uint64_t rank = (a & RANK_MASK) >> RANK_SHIFT;
        values[l] = rank ? rank - 1 : w->block->rank;
    }
    write_row(w, in->dst, 4, values);
}
