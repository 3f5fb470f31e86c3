// Launches. Host threads take blocks in order from one counter. If all warps of a block spin, or the block has run for
// long, its host thread starts another one in addition, as long as a real device would hold both. So the blocks of a
// persistent kernel overlap in time even on one host thread.
#include "exec/launch.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/helper.h"
#include "decode/module.h"
#include "decode/opcodes.h"
#include "exec/host_overlap.h"
#include "exec/block.h"
#include "exec/bulk.h"
#include "exec/cluster.h"
#include "exec/deadlock.h"
#include "exec/endless.h"
#include "exec/finding.h"
#include "exec/nested.h"
#include "exec/observer_state.h"
#include "exec/progress.h"
#include "exec/sample.h"
#include "exec/pool.h"
#include "memory/memory.h"
#include "report/errors.h"
#include "report/settings.h"

// CPU seconds of this host thread: a busy computer must not make a kernel look endless.
static double now(void)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

// ---- the host threads of a launch

#define SOON 50e-6 // seconds: most launches have ended by then, and starting a helper costs a tenth of it

struct crew {
    struct worker *workers; // the first is the thread that launches
    bool started, printed;     // printed: progress has been printed (SIMT_PROGRESS)
    double begin;
};

// Worker i starts workers 2i + 1 and 2i + 2, if they exist. Starting all of them from one thread would take as long as
// a short launch.
static void call_helpers(const struct launch *launch, uint32_t i)
{
    for (uint32_t n = 2 * i + 1; n <= 2 * i + 2 && n < launch->worker_count && !all_started(launch); n++)
        helper_start(&launch->crew->workers[n].task);
}

// The first worker calls this after each round; it starts the others once the launch has turned out not to be short. A
// cooperative grid needs them at once.
static void start_others(const struct launch *launch)
{
    struct crew *c = launch->crew;
    if (c->started || (!launch->cooperative && clock_seconds(CLOCK_MONOTONIC) - c->begin < SOON))
        return;
    c->started = true;
    call_helpers(launch, 0);
}

// By then every worker that starts others has started them.
static void wait_for_others(const struct launch *launch)
{
    for (uint32_t i = 1; launch->crew->started && i < launch->worker_count; i++)
        helper_wait(&launch->crew->workers[i].task);
}

// ---- a worker: one host thread

// Instructions, not seconds: a check runs warps further, so a slow computer must check at the same point to count the
// same.
#define FIRST_SCAN (1 << 14) // the scan for code without an exit, which runs no warp
#define FIRST_CHECK (1 << 21) // the endless-loop check; of all workers together
#define NEVER (UINT64_MAX / 2)
#define SPINNING 256
#define SLOWEST 1e6 // instructions per CPU second
#define LASTING 0.1 // part of the timeout after which stores to new pages are noted

struct progress {
    uint64_t ended, passed; // blocks; time slices that passed barriers
    uint64_t reached;       // pages stored in for the first time: their number is finite
};

struct residents {
    struct block **blocks; // blocks of a cluster are neighbours
    uint32_t count, capacity;
    uint32_t places; // places of the device that this worker holds, at least one; each has room for a cluster
    bool *running;
    bool stalls, all_wait;  // the stalled block has reached its first barrier; all others wait
    bool have_waited;       // all others have waited at some time
    uint64_t effort;        // instructions since a block ended, of any worker; a spinning slice counts as SPINNING
    uint64_t next_check;     // when to check for endless loops, in the same unit
    uint64_t first_check;    // this worker's share of FIRST_CHECK
    struct progress before; // of all workers, when a block last ended
    double since;           // that time, in CPU seconds
    double recent;          // the clock's last value
    uint32_t rounds;        // in which the clock was requested
    uint64_t idle;          // rounds since then
    struct watch *watch;
};

// The n-th block to start: in order, in reverse, or through a permutation n -> n * step + offset.
static uint64_t nth_block(const struct launch *launch, uint64_t n)
{
    uint64_t count = launch->run_count, step;
    if (launch->schedule == SCHEDULE_REVERSE)
        return count - 1 - n;
    if (launch->schedule != SCHEDULE_RANDOM)
        return n;
    for (step = (settings()->seed * UINT64_C(0x9e3779b9) + launch->number) % count | 1;; step += 2) {
        uint64_t a = count, b = step;
        while (b) {
            uint64_t r = a % b;
            a = b;
            b = r;
        }
        if (a == 1)
            break;
    }
    return (uint64_t)(((unsigned __int128)n * step + settings()->seed) % count);
}

static uint64_t cluster_number(const struct launch *launch, uint64_t n)
{
    n = nth_block(launch, n);
    return launch->sampled ? launch->sampled[n] : n;
}

// Whether a block of the cluster in the slots from here on runs.
static bool cluster_runs(const struct residents *r, uint32_t slot, uint32_t size)
{
    bool runs = false;
    for (uint32_t i = 0; i < size; i++)
        runs |= r->running[slot + i];
    return runs;
}

// Makes room for one more cluster.
static void open_cluster(struct worker *k, struct residents *r)
{
    uint32_t size = k->launch->cluster_size;
    struct cluster *c = alloc_zeroed(1, sizeof *c);
    c->size = size;
    if (r->count + size > r->capacity) {
        r->capacity = r->capacity * 2 + 4 * size;
        r->blocks = alloc_resize(r->blocks, r->capacity, sizeof *r->blocks);
        r->running = alloc_resize(r->running, r->capacity, sizeof *r->running);
    }
    for (uint32_t i = 0; i < size; i++) {
        struct block *b = r->blocks[r->count] = block_open(k);
        r->running[r->count++] = false;
        c->blocks[i] = b;
        b->cluster = c;
        b->rank = i;
    }
}

// Starts one more cluster in a place that this worker holds; false if all have started.
static bool start_cluster(struct worker *k, struct residents *r)
{
    uint32_t slot = 0, size = k->launch->cluster_size;
    endless_starts_block(k);
    uint64_t n = atomic_fetch_add(&k->launch->next_block, 1);
    if (n >= k->launch->run_count)
        return false;
    while (slot < r->count && cluster_runs(r, slot, size))
        slot += size;
    if (slot == r->count)
        open_cluster(k, r);
    cluster_start(r->blocks[slot]->cluster, cluster_number(k->launch, n));
    for (uint32_t i = 0; i < size; i++) {
        r->running[slot + i] = true;
        r->blocks[slot + i]->order = n * size + i;
        block_start(r->blocks[slot + i], cluster_block(k->launch, r->blocks[slot]->cluster->number, i));
    }
    return true;
}

// One time slice for the block in a slot. *best: how the best of the slices ended.
static void run_resident(struct residents *r, uint32_t slot, enum slice_end *best)
{
    struct block *b = r->blocks[slot];
    uint64_t issued = b->issued, changes = b->worker->changes;
    enum slice_end slice = sample_slice(b, block_run(b), changes);
    r->effort += b->issued - issued + (slice == SLICE_SPINS ? SPINNING : 0);
    if (b->launch->schedule == SCHEDULE_STALL && slice == SLICE_SPINS && !block_polls(b))
        slice = SLICE_OVER;
    r->running[slot] = slice != SLICE_DONE;
    b->waits += b->launch->schedule == SCHEDULE_STALL && slice == SLICE_SPINS;
    b->worker->waits = b->waits > b->worker->waits ? b->waits : b->worker->waits;
    *best = slice < *best ? slice : *best;
}

// A schedule with one stalled block. It starts as others do, and stops at its first barrier until no other block makes
// progress. The others run in turn from barrier to barrier; once all of them have waited, from the newest to the
// oldest. So late blocks see everything published meanwhile before it is summed up. A chain, in which each block waits
// for the previous one, advances by one block a round.
static void run_with_stalled(struct residents *r, enum slice_end *best)
{
    uint32_t stalled = UINT32_MAX;
    for (uint32_t n = 0; n < r->count; n++) {
        uint32_t i = r->have_waited ? r->count - 1 - n : n;
        bool is_stalled = r->running[i] && r->blocks[i]->order == settings()->seed;
        stalled = is_stalled ? i : stalled;
        if (r->running[i] && (!is_stalled || !r->stalls))
            run_resident(r, i, best);
        r->stalls |= is_stalled;
    }
    r->all_wait = *best == SLICE_SPINS;
    r->have_waited |= r->all_wait;
    if (stalled != UINT32_MAX)
        r->blocks[stalled]->held = r->stalls && !r->all_wait;
    if (r->all_wait && stalled != UINT32_MAX)
        run_resident(r, stalled, best);
}

// Runs a time slice of the block with the earliest ready time.
static void run_earliest(struct residents *r, double (*ready_time)(const struct block *b), enum slice_end *best)
{
    uint32_t first = UINT32_MAX;
    double earliest = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        bool progresses = r->running[i] && (r->blocks[i]->runnable || !cluster_can_continue(r->blocks[i]));
        double when = progresses ? ready_time(r->blocks[i]) : 0;
        if (progresses && (first == UINT32_MAX || when < earliest))
            first = i, earliest = when;
    }
    run_resident(r, first, best);
}

// One time slice for every resident block. In a random order it skips three of four, so that some get far ahead of
// others. Returns how many clusters still run; *best: how the best of the slices ended.
static uint32_t run_residents(struct worker *k, struct residents *r, enum slice_end *best)
{
    bool random = k->launch->schedule == SCHEDULE_RANDOM, stall = k->launch->schedule == SCHEDULE_STALL;
    uint32_t running = 0;
    double (*ready_time)(const struct block *b) = k->launch->ready_time;
    if (stall)
        run_with_stalled(r, best);
    else if (ready_time)
        run_earliest(r, ready_time, best);
    for (uint32_t i = 0; !stall && !ready_time && i < r->count; i++) {
        if (r->running[i] && random && random_bits(k) % 4)
            *best = SLICE_OVER < *best ? SLICE_OVER : *best;
        else if (r->running[i])
            run_resident(r, i, best);
    }
    for (uint32_t i = 0; i < r->count; i += k->launch->cluster_size)
        running += cluster_runs(r, i, k->launch->cluster_size);
    return running;
}

// Explains which blocks wait for a place, and why they have none.
static void explain_pending_blocks(const struct launch *launch, char *out, size_t size)
{
    uint64_t blocks = launch->cluster_size, all = launch->run_count * blocks;
    uint64_t started = atomic_load(&launch->next_block) * blocks;
    uint32_t held = resident_blocks(launch->code, launch->threads_per_block, launch->dynamic_shared);
    if (started >= all && all > 1)
        snprintf(out, size, ", all %llu blocks have started", (unsigned long long)all);
    else if (started < all)
        snprintf(out, size,
                 ", %llu of %llu blocks have not started, %s the first of them: a block starts when another one ends, "
                 "once the device holds as many as it can, %u on each of %u multiprocessors",
                 (unsigned long long)(all - started), (unsigned long long)all,
                 block_name(launch, cluster_block(launch, cluster_number(launch, started / blocks), 0)), held,
                 settings()->multiprocessors);
}

static void give_up(struct residents *r, const char *why)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->running[i]) {
            char words[560], waiting[320] = "";
            explain_pending_blocks(r->blocks[i]->launch, waiting, sizeof waiting);
            snprintf(words, sizeof words, "The kernel does not end (%s%s)", why, waiting);
            report_deadlock(r->blocks[i], words);
            return;
        }
}

// For `waited` CPU seconds no block has ended and no new page has been stored in. On a shared computer the same work
// takes more CPU time, so the work counts as well.
static void check_progress(struct residents *r, double waited, double patience)
{
    if (waited > patience * LASTING)
        atomic_store_explicit(&r->blocks[0]->launch->lasting, true, memory_order_relaxed);
    if (waited > patience && (double)r->effort > patience * SLOWEST) {
        char why[100];
        snprintf(why, sizeof why, "no block ended in %g s of computing, SIMT_TIMEOUT", patience);
        give_up(r, why);
    } else if (r->effort > r->next_check) {
        r->next_check = 2 * r->effort;
        if (endless_scan(r->blocks, r->running, r->count) || r->effort <= r->first_check)
            return;
        if (endless_check(&r->watch, r->blocks, r->running, r->count))
            give_up(r, ALL_STUCK);
    } else if (r->next_check > 2 * r->first_check) {
        endless_compare(r->watch);
    }
}

// Rounds without progress after which the running blocks alone are not expected to make any. In a random order most
// blocks miss most rounds, so all of them rarely spin in one round.
#define IDLE 64
#define IDLE_RANDOM 1024

// Whether a thread polls memory that the host may write.
static bool polls_host(const struct residents *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t k = 0; r->running[i] && k < r->blocks[i]->warp_count; k++) {
            const struct warp *w = &r->blocks[i]->warps[k];
            if (w->polled_address && memory_is_shared(w->polled_address))
                return true;
        }
    return false;
}

static bool all_poll(const struct residents *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->running[i] && !block_polls(r->blocks[i]))
            return false;
    return true;
}

// Lets the host continue, so that it may change what the threads poll. False: the host must wait.
static bool may_leave_host(const struct launch *launch, const struct residents *r)
{
    return launch->overlaps_host && polls_host(r) && overlap_host_continues();
}

// ---- the places of the device

#define AT_ONCE 4 // blocks that a worker starts with in a random order, so that each sees the others half finished

// Clusters that the device holds at a time, at most all that run.
static uint32_t device_places(const struct launch *launch)
{
    uint64_t places =
        resident_clusters(launch->code, launch->cluster_size, launch->threads_per_block, launch->dynamic_shared);
    if (launch->cooperative || places > launch->run_count)
        places = launch->run_count;
    return places ? (uint32_t)places : 1;
}

static bool take_place(struct launch *launch, struct residents *r)
{
    unsigned free_places = atomic_load(&launch->places);
    while (free_places > 0)
        if (atomic_compare_exchange_weak(&launch->places, &free_places, free_places - 1)) {
            r->places++;
            return true;
        }
    return false;
}

static void release_places(struct launch *launch, struct residents *r, uint32_t kept)
{
    if (r->places > kept)
        atomic_fetch_add(&launch->places, r->places - kept);
    r->places = r->places > kept ? kept : r->places;
}

#define NAP 50000 // nanoseconds

// Waits for the worker's first place. Other workers may hold all places and wait for one another, so a worker that
// waits for a place does not count as active. False: all blocks have started, or the launch has failed.
static bool wait_for_place(struct worker *k, struct residents *r)
{
    struct launch *launch = k->launch;
    while (!all_started(launch) && !atomic_load(&launch->failed)) {
        endless_starts_block(k); // before it takes a place
        if (take_place(launch, r))
            return true;
        endless_not_called(k);
        while (atomic_load(&launch->places) == 0 && !all_started(launch) && !atomic_load(&launch->failed))
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    }
    return false;
}

// Starts one more block, if the device has a place for it.
static bool start_one_more(struct worker *k, struct residents *r, uint32_t running)
{
    bool has_place = running < r->places;
    if (all_started(k->launch) || !(has_place || atomic_load(&k->launch->places) > 0))
        return false;
    endless_starts_block(k); // before it takes a place
    return (has_place || take_place(k->launch, r)) && start_cluster(k, r);
}

// ---- what a worker does

static struct progress progress_of(const struct launch *launch)
{
    struct progress p = {0};
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        const struct worker *k = &launch->crew->workers[i];
        p.ended += atomic_load_explicit(&k->ended, memory_order_relaxed);
        p.passed += atomic_load_explicit(&k->passed, memory_order_relaxed);
        p.reached += atomic_load_explicit(&k->reached, memory_order_relaxed);
    }
    return p;
}

// If no block runs, starts one, or more if several must overlap from the start. Returns how many run; 0: all blocks
// have ended or belong to other workers.
static uint32_t start_first(struct worker *k, struct residents *r, uint32_t running, uint32_t share)
{
    const struct launch *launch = k->launch;
    bool random = launch->schedule == SCHEDULE_RANDOM, all = launch->schedule == SCHEDULE_STALL || launch->ready_time;
    uint32_t most = all ? share : random && share > AT_ONCE ? AT_ONCE : random ? share : 1;
    while (running < most && !atomic_load(&launch->failed) && start_one_more(k, r, running))
        running++;
    return running;
}

#define ROUNDS_APART 16 // between two readings of the clock

// now(), or in a random order a value that may be a few rounds old: there a round is shorter than the system call for
// the clock.
static double recent(struct residents *r, bool random)
{
    if (!random || r->rounds++ % ROUNDS_APART == 0)
        r->recent = now();
    return r->recent;
}

// Called after a round in which no block of this worker ended. True: no block at all has ended for so long that more
// blocks may have to start.
static bool note_progress(struct worker *k, struct residents *r, enum slice_end best)
{
    bool random = k->launch->schedule == SCHEDULE_RANDOM;
    if (best == SLICE_OVER)
        count_one(&k->passed);
    struct progress p = progress_of(k->launch);
    r->idle = p.ended == r->before.ended ? r->idle + (best == SLICE_SPINS || random) : 0;
    bool idles = r->idle > (random ? IDLE_RANDOM : IDLE);
    bool progresses = p.ended != r->before.ended || p.reached != r->before.reached;
    if (progresses || (idles && may_leave_host(k->launch, r))) {
        r->before = p;
        r->since = now();
        r->effort = 0;
        r->next_check = FIRST_SCAN;
    } else
        check_progress(r, recent(r, random) - r->since,
                       p.passed != r->before.passed ? settings()->patience : settings()->timeout);
    return idles;
}

// The first worker prints once how far a long launch is.
static void print_progress(const struct launch *launch, uint64_t round)
{
    struct crew *c = launch->crew;
    double seconds = settings()->progress;
    if (c->printed || seconds == 0 || round % ROUNDS_APART)
        return;
    double past = clock_seconds(CLOCK_MONOTONIC) - c->begin;
    c->printed = past >= seconds;
    if (c->printed)
        progress_print(launch, past, progress_of(launch).ended);
}

static void run_blocks(struct worker *k, struct residents *r)
{
    struct launch *launch = k->launch;
    uint32_t share = (device_places(launch) + launch->worker_count - 1) / launch->worker_count, running = 0;
    bool random = launch->schedule == SCHEDULE_RANDOM;
    r->since = now();
    // No endless-loop check in a sampled launch: its blocks are cut short after a number of instructions anyway, and
    // the check, which is earlier with more host threads, executes part of the block.
    r->first_check = launch->partial ? NEVER : FIRST_CHECK / launch->worker_count;
    // A cooperative grid is resident as a whole: every worker takes its share before any block runs.
    while (launch->cooperative && running < share && start_one_more(k, r, running))
        running++;
    for (uint64_t round = 0;; round++) {
        enum slice_end best = SLICE_SPINS;
        if (k->index == 0) {
            start_others(launch);
            print_progress(launch, round);
        }
        running = start_first(k, r, running, share);
        if (!running)
            return;
        running = run_residents(k, r, &best);
        release_places(launch, r, running ? running : 1);
        if (best == SLICE_DONE)
            continue;
        bool idles = note_progress(k, r, best);
        bool wanted = best == SLICE_SPINS || !random || random_bits(k) % 16 == 0;
        // Exceeds its share of the device only as a last resort: other workers may not have started yet.
        if (wanted && (running < share || idles) && start_one_more(k, r, running))
            running++;
        else if ((best == SLICE_SPINS || random) && all_poll(r))
            sched_yield(); // they wait for another host thread
    }
}

static void work(void *data)
{
    struct worker *k = data;
    struct residents r = {.next_check = FIRST_SCAN};
    if (k->index > 0)
        call_helpers(k->launch, k->index);
    if (wait_for_place(k, &r))
        run_blocks(k, &r);
    release_places(k->launch, &r, 0);
    endless_no_blocks(k);
    endless_close(r.watch); // before the blocks: it watches one of them
    for (uint32_t i = 0; i < r.count; i++) {
        if (r.blocks[i]->rank == 0) {
            bulk_forget(r.blocks[i]->cluster);
            free(r.blocks[i]->cluster);
        }
        block_close(r.blocks[i]);
    }
    free(r.blocks);
    free(r.running);
    pool_free(k);
}

// ---- the launch

static struct worker *make_workers(struct launch *launch)
{
    struct worker *workers = alloc_aligned(APART, launch->worker_count * sizeof *workers);
    memset(workers, 0, launch->worker_count * sizeof *workers);
    const struct module *m = launch->module;
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        struct worker *k = &workers[i];
        k->launch = launch;
        k->index = i;
        k->task = (struct task){.work = work, .data = k};
        k->runs = alloc_padded(m->block_count, sizeof *k->runs);
        k->diverged = alloc_padded(m->origin_count, sizeof *k->diverged);
        k->guard_lanes = alloc_padded(m->origin_count, sizeof *k->guard_lanes);
        k->state = alloc_padded(launch->state_bytes[OF_WORKER], 1);
        k->random = (settings()->seed + i + 1) * UINT64_C(0x9e3779b97f4a7c15) + launch->number;
        k->random |= !k->random;
        endless_not_called(k); // the launch may never use it
    }
    return workers;
}

static void free_workers(struct launch *launch, struct worker *workers)
{
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        free(workers[i].runs);
        free(workers[i].diverged);
        free(workers[i].guard_lanes);
        free(workers[i].state);
    }
    free(workers);
}

static int run_launch(struct launch *launch)
{
    struct crew crew = {.workers = make_workers(launch), .begin = clock_seconds(CLOCK_MONOTONIC)};
    launch->crew = &crew;
    launch->state = alloc_zeroed(1, launch->state_bytes[OF_LAUNCH]);
    atomic_store(&launch->places, device_places(launch));
    NOTIFY(launch, launch_start, launch);
    if (launch->cooperative)
        start_others(launch);
    work(&crew.workers[0]);
    wait_for_others(launch);
    sample_return_tickets(launch);
    NOTIFY(launch, launch_end, launch, crew.workers);
    free_workers(launch, crew.workers);
    free(launch->state);
    return atomic_load(&launch->failed);
}

// By which factor calls may nest deeper than usual: cudaLimitStackSize, divided by the usual 1024 bytes.
static uint32_t deeper(const struct launch *launch)
{
    uint64_t times = launch->limits.stack / 1024;
    return times > MAX_DEEPER ? MAX_DEEPER : times > 1 ? (uint32_t)times : 1;
}

// Registers and local memory of a thread: those of the kernel, plus those of the largest function for every level of
// calls.
static void size_stacks(struct launch *launch)
{
    const struct module *m = launch->module;
    uint32_t regs = 0, local = 0;
    for (int i = 0; i < m->ptx->func_count && launch->code->calls; i++)
        if (m->codes[i] && !m->codes[i]->ptx->entry) {
            m->codes[i]->reg_offset = regs;
            regs += m->codes[i]->reg_bytes;
            local = m->codes[i]->local_bytes > local ? m->codes[i]->local_bytes : local;
        }
    uint32_t times = deeper(launch), most = MAX_CALL_DEPTH * times;
    uint32_t by_regs = regs ? STACK_REGISTERS * times / regs : 1, by_local = local ? STACK_LOCAL * times / local : most;
    uint32_t depth = by_regs < by_local ? by_regs : by_local;
    launch->call_depth = depth > most ? most : depth < MIN_CALL_DEPTH ? MIN_CALL_DEPTH : depth;
    launch->reg_level = regs;
    launch->reg_stride = launch->code->reg_bytes + launch->call_depth * regs + 64;
    launch->local_stride = (launch->code->local_bytes + launch->call_depth * local + 15) & ~15u;
}

// The kernel's parameters, laid out as PTX requires.
static uint8_t *pack_params(const struct code *c, void **args)
{
    uint8_t *params = alloc_zeroed(1, (c->param_bytes + 63u) & ~63u);
    uint32_t at = 0;
    for (int k = 0; k < c->ptx->param_count; k++) {
        const struct ptx_variable *p = &c->ptx->params[k];
        at = param_start(at, p);
        memcpy(params + at, args[k], p->size);
        at += (uint32_t)p->size;
    }
    return params;
}

// The launch has every property of any function that the kernel may call.
static void collect_properties(struct launch *l)
{
    const struct module *m = l->module;
    for (int i = 0; i < m->ptx->func_count; i++) {
        const struct code *c = m->codes[i];
        if (!c || (c->ptx->entry && c != l->code))
            continue;
        l->follow_orders |= c->orders;
        l->strong |= c->strong;
        l->locks |= c->locks;
        l->sub_words |= c->sub_words;
        l->clustered |= c->cluster_barrier;
        l->bulk |= c->bulk;
        l->reserved_shared = c->reserved_shared ? RESERVED_SHARED : l->reserved_shared;
    }
}

// Checks the sizes against the device's limits, as the CUDA runtime does: 0 or a cudaError_t.
static int check_sizes(const struct launch_request *q, const struct code *c)
{
    static const uint32_t max_dim[3] = {1024, 1024, 64}, max_grid[3] = {0x7fffffff, 65535, 65535};
    uint64_t threads = (uint64_t)q->dim[0] * q->dim[1] * q->dim[2];
    for (int k = 0; k < 3; k++)
        if (!q->dim[k] || q->dim[k] > max_dim[k] || !q->grid[k] || q->grid[k] > max_grid[k])
            return CUDA_ERROR_INVALID_CONFIGURATION;
    if (threads > MAX_THREADS)
        return CUDA_ERROR_INVALID_CONFIGURATION;
    uint32_t limit = q->shared_limit ? q->shared_limit : SHARED_PER_BLOCK - c->shared_bytes;
    if (c->shared_bytes > SHARED_PER_BLOCK || q->dynamic_shared > limit ||
        q->dynamic_shared + c->shared_bytes > SHARED_PER_BLOCK_OPTIN)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t required = c->ptx->required_threads[0];
    if (required && q->dim[0] != required)
        return CUDA_ERROR_INVALID_VALUE;
    int wrong_cluster = check_cluster(q, c);
    if (wrong_cluster)
        return wrong_cluster;
    uint64_t most = c->ptx->max_threads[0];
    for (int k = 1; k < 3; k++)
        most *= c->ptx->max_threads[k] ? c->ptx->max_threads[k] : 1;
    if (most && threads > most)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (threads > threads_by_registers(c))
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    uint64_t blocks = (uint64_t)q->grid[0] * q->grid[1] * q->grid[2];
    if (q->cooperative &&
        blocks > (uint64_t)settings()->multiprocessors * resident_blocks(c, (uint32_t)threads, q->dynamic_shared))
        return CUDA_ERROR_COOPERATIVE_TOO_LARGE;
    return 0;
}

// Dynamic shared memory begins after static shared memory, with a gap between them.
static void lay_out_shared(struct launch *l, const struct code *c, uint32_t dynamic)
{
    uint32_t gap = dynamic && c->shared_count ? SHARED_GAP : 0, align = 16;
    for (int i = 0; i < l->module->ptx->func_count; i++) {
        const struct code *f = l->module->codes[i];
        if (f && (f == c || !f->ptx->entry) && f->dynamic_align > align)
            align = f->dynamic_align;
    }
    l->dynamic_start = align_up(align_up(c->shared_bytes, 16) + c->shared_gaps + gap, align);
    l->dynamic_shared = dynamic;
    l->shared_owner = gap || c->shared_bytes % 16 || c->shared_count > 1 ? c->shared_owner : NULL;
}

// Whether the kernel uses results of atomics: its blocks may take tickets.
static bool uses_atomic_results(const struct launch *l)
{
    const struct module *m = l->module;
    bool asks = false;
    for (uint32_t id = 0; id < m->origin_count; id++)
        asks |= m->origins[id].code == l->code && m->origins[id].op == OP_atom;
    return asks;
}

// Whether blocks may communicate: by strong accesses, or by results of atomics.
static bool blocks_communicate(const struct launch *l)
{
    return l->strong || l->follow_orders || uses_atomic_results(l);
}

// How many host threads may run its blocks.
static uint32_t workers_for(const struct launch *l)
{
    bool alone = l->schedule == SCHEDULE_STALL;
    for (uint32_t i = 0; i < l->observers.count; i++)
        alone |= l->observers.list[i]->alone;
    return alone ? 1 : l->run_count < settings()->threads ? (uint32_t)l->run_count : settings()->threads;
}

static void fill_launch(struct launch *l, const struct launch_request *q, const struct code *c)
{
    memcpy(l->grid, q->grid, sizeof l->grid);
    memcpy(l->dim, q->dim, sizeof l->dim);
    l->code = c;
    l->module = q->module;
    l->block_count = (uint64_t)q->grid[0] * q->grid[1] * q->grid[2];
    cluster_of(q, c, l->cluster);
    l->cluster_size = l->cluster[0] * l->cluster[1] * l->cluster[2];
    l->explicit_cluster = q->cluster[0] || c->ptx->cluster_blocks[0];
    l->clustered = l->cluster_size > 1;
    l->threads_per_block = q->dim[0] * q->dim[1] * q->dim[2];
    l->warps_per_block = (l->threads_per_block + LANES - 1) / LANES;
    lay_out_shared(l, c, q->dynamic_shared);
    l->params = pack_params(c, q->args);
    l->operation = q->operation;
    l->number = q->number;
    l->cooperative = q->cooperative;
    l->overlaps_host = overlap_is_own_thread();
    l->schedule = settings()->schedule;
    l->device = q->device;
    l->inaccessible = q->inaccessible;
    l->limits = q->limits;
    l->depth = q->depth;
    l->nested = nested_open(q->nested_most);
    collect_properties(l);
    sample_blocks(l);
    sample_mark_tickets(l, l->partial && uses_atomic_results(l));
    for (uint32_t i = 0; i < q->observers.count; i++)
        if (!q->observers.list[i]->wants || q->observers.list[i]->wants(l))
            l->observers.list[l->observers.count++] = q->observers.list[i];
    state_place(l);
    l->worker_count = workers_for(l);
    for (uint32_t i = 0; i < l->observers.count; i++)
        l->watched |= l->observers.list[i]->access != NULL;
    for (uint32_t i = 0; i < l->observers.count && l->schedule == SCHEDULE_RANDOM && l->strong; i++)
        l->weak |= l->observers.list[i]->loaded != NULL;
    for (uint32_t i = 0; i < l->observers.count && l->schedule == SCHEDULE_ORDER && blocks_communicate(l); i++)
        l->ready_time = l->observers.list[i]->ready_time ? l->observers.list[i]->ready_time : l->ready_time;
    size_stacks(l);
}

// Cooperative groups keep the grid's barrier in memory; the kernel reads its address from %envreg1 and %envreg2.
static uint64_t make_workspace(const struct launch_request *q)
{
    struct allocation *a = q->cooperative ? memory_alloc(64, MEMORY_VARIABLE, q->device) : NULL;
    if (!a)
        return 0;
    memset((void *)(uintptr_t)a->base, 0, 64);
    memory_mark_written(a->base, 64);
    return a->base;
}

static void hand_over_nested(struct launch *launch, const struct launch_request *q)
{
    struct nested *list = nested_close(launch);
    if (q->nested)
        *q->nested = list;
    else
        nested_free(list);
}

int launch_kernel(const struct launch_request *q)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    char error[512];
    pthread_mutex_lock(&one_at_a_time);
    const struct code *c = module_code(q->module, q->kernel, error, sizeof error);
    int result = CUDA_ERROR_NOT_SUPPORTED;
    if (!c)
        complain("%s", error);
    else if (!(result = check_sizes(q, c))) {
        struct launch launch = {0};
        const struct allocation *found;
        fill_launch(&launch, q, c);
        launch.workspace = make_workspace(q);
        result = run_launch(&launch);
        hand_over_nested(&launch, q);
        memory_free(launch.workspace, &found);
        free((void *)launch.params);
        sample_free(&launch);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return result;
}
